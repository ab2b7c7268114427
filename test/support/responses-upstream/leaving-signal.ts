import type { ServerResponse } from 'node:http';

/** Aborts when the connection ends before the answer has. */
export function leavingSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has left'));
  });
  return controller.signal;
}
