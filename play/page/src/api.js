// SPDX-License-Identifier: GPL-3.0-or-later
//
// The server's interface; play/web_service.h is its description.

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, fields, options = {}) {
  const request = {method, ...options};
  if (fields !== undefined) {
    request.body = JSON.stringify(fields);
    request.headers = {'Content-Type': 'application/json'};
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new ApiError(0, 'The server does not answer. Is khanzero serve still running?');
  }
  const answer = await response.json().catch(() => ({error: 'The server gave no proper answer'}));
  if (!response.ok) throw new ApiError(response.status, answer.error);
  return answer;
}

const ofGame = (id, action) => `/api/games/${id}/${action}`;

export const info = () => call('GET', '/api/info');
export const matches = () => call('GET', '/api/matches');
export const readPgn = text => call('POST', '/api/pgn', {text});
export const newGame = fields => call('POST', '/api/games', fields);
export const play = (id, move, ply) => call('POST', ofGame(id, 'move'), {move, ply});
export const undo = (id, ply) => call('POST', ofGame(id, 'undo'), {ply});
export const think = (id, fields) => call('POST', ofGame(id, 'think'), fields);
export const stop = id => call('POST', ofGame(id, 'stop'), {});
export const pgn = (id, names) => call('POST', ofGame(id, 'pgn'), names);
// Also while the page is being left.
export const drop = id => call('DELETE', `/api/games/${id}`, undefined, {keepalive: true});
