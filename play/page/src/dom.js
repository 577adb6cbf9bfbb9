// SPDX-License-Identifier: GPL-3.0-or-later

export const $ = id => document.getElementById(id);

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// A dialog as a promise of the value it was closed with; '' when it was left.
export function ask(dialog) {
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue), {once: true});
  });
}
