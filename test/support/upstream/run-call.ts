import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Calls } from './calls.ts';
import { disconnectSignal } from './disconnect-signal.ts';
import { readBody } from './read-body.ts';
import { Refusal, refusalBody } from './refusal.ts';

/** One call whose body has been read. */
export interface ReceivedCall {
  readonly body: Buffer;
  /** Number of the call, counted from 0. */
  readonly number: number;
  readonly notify: ReturnType<Calls['begin']>['notify'];
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** Returns a handler that records one call and its outcome around `reply`. `toBody` encodes an error. */
export function createCallHandler(
  calls: Calls,
  reply: (call: ReceivedCall) => void | Promise<void>,
  toBody: (refusal: Refusal) => unknown = refusalBody,
): (incoming: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, response) => {
    const { number, notify } = calls.begin(incoming);
    const signal = disconnectSignal(response);
    try {
      const body = await readBody(incoming);
      notify({ body });
      await reply({ body, number, notify, signal, incoming, response });
      notify({ outcome: 'replied' });
    } catch (error) {
      if (error instanceof Refusal) refuse(response, error, notify, toBody);
      else if (signal.aborted || !incoming.complete) notify({ outcome: 'client_disconnected' });
      else {
        calls.fail(error);
        notify({ outcome: 'broken' });
        response.destroy();
      }
    }
  };
}

function refuse(
  response: ServerResponse,
  refusal: Refusal,
  notify: ReceivedCall['notify'],
  toBody: (refusal: Refusal) => unknown,
): void {
  const { status, code, param } = refusal;
  notify({ outcome: 'refused', refusal: { status, code, ...(param ? { param } : {}) } });
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(toBody(refusal)));
}
