// SPDX-License-Identifier: GPL-3.0-or-later
//
// A page in a real Chromium. Whatever the page logs as an error, or asks of another place than the
// server, ends the test.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';

// The packages of the page serve its tests too.
const require = createRequire(new URL('../../play/page/package.json', import.meta.url));
const {chromium} = require('playwright-core');

const browsers = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser',
                  '/usr/bin/google-chrome'];

export class TestFailure extends Error {}

export function fail(what) {
  throw new TestFailure(what);
}

export const findBrowser = () => browsers.find(path => path && existsSync(path));

// Runs `work` with a page on `url`; the process ends with 1 when something is wrong.
export async function withPage(url, {width = 1280, height = 800, dark = false, phone = false}, work) {
  const faults = [];
  const browser = await chromium.launch({executablePath: findBrowser(), args: ['--no-sandbox']});
  try {
    const context = await browser.newContext({
      viewport: {width, height},
      colorScheme: dark ? 'dark' : 'light',
      hasTouch: phone,
      isMobile: phone,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30000);
    page.on('pageerror', error => faults.push(`an error on the page: ${error.message}`));
    page.on('console', message => {
      if (message.type() === 'error' && !page.expectsErrors) {
        faults.push(`the console says: ${message.text()}`);
      }
    });
    page.on('request', request => {
      const local = [url, 'data:', 'blob:'].some(start => request.url().startsWith(start));
      if (!local) faults.push(`a request leaves the server: ${request.url()}`);
    });
    await page.goto(url);
    // A click on a page that is still loading does nothing.
    await page.waitForFunction(() => document.querySelector('cg-board piece, .pocket piece'));
    await work(page);
    if (faults.length > 0) fail(faults.join('\n'));
  } catch (error) {
    console.error(error instanceof TestFailure ? error.message : error.stack);
    for (const fault of faults) console.error(fault);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}
