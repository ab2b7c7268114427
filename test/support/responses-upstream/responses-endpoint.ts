import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { createCallInFlight } from './call-in-flight.ts';
import type { Calls } from './calls.ts';
import { checkBody } from './check-body.ts';
import { checkHead } from './check-head.ts';
import { disconnectSignal } from './disconnect-signal.ts';
import type { Images } from './images.ts';
import type { Login } from './login.ts';
import type { ImageModel } from './models.ts';
import { readBody } from './read-body.ts';
import { Refusal, refusalBody } from './refusal.ts';
import { textOf } from './responses-request.ts';
import type { Script } from './script.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly login: Login;
  readonly images: Images;
  readonly script: Script;
  readonly calls: Calls;
  readonly originator: string;
  readonly responsesModels: readonly string[];
  readonly imageModels: ReadonlyMap<string, ImageModel>;
}

type Notify = ReturnType<Calls['begin']>['notify'];

/** `POST …/responses`: checks the call, then runs the behaviour that the script selects. */
export function createResponsesEndpoint(deps: Deps) {
  const { clock, login, calls, script, originator } = deps;

  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { number, notify } = calls.begin(incoming.headers);
    const signal = disconnectSignal(response);
    try {
      const body = await readBody(incoming);
      notify({ body });
      checkHead(incoming.headers, login, originator);
      const request = checkBody(body, deps);
      const { behaviour, settings, delayMs } = script.next(textOf(request));
      notify({ behaviour: behaviour.name });
      if (delayMs > 0) await sleep(clock, delayMs, signal);
      const onCut = () => notify({ outcome: 'cut' });
      const onSilence = (isSilent: boolean) => notify({ isSilent });
      const wire = { incoming, response, signal, onCut, onSilence };
      await behaviour.run(createCallInFlight({ ...deps, ...wire, settings, request, number }));
      notify({ outcome: 'replied' });
    } catch (error) {
      if (error instanceof Refusal) refuse(response, error, notify);
      else if (signal.aborted || !incoming.complete) notify({ outcome: 'client_disconnected' });
      else {
        calls.fail(error);
        notify({ outcome: 'broken' });
        response.destroy();
      }
    }
  };
}

function refuse(response: ServerResponse, refusal: Refusal, notify: Notify): void {
  const { status, code, param } = refusal;
  notify({ outcome: 'refused', refusal: { status, code, ...(param ? { param } : {}) } });
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(refusalBody(refusal)));
}
