import type { ServerResponse } from 'node:http';

/** Returns a signal that aborts when the connection closes before the response has ended. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has disconnected'));
  });
  return controller.signal;
}
