import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import type { Calls } from '../upstream/calls.ts';
import type { Images } from '../upstream/images.ts';
import { createCallHandler, type ReceivedCall } from '../upstream/run-call.ts';
import { sendAgentReply } from './agent/agent-model.ts';
import { toAgentTurn } from './agent/agent-request.ts';
import { createCallInFlight } from './call-in-flight.ts';
import { checkBody } from './check-body.ts';
import { checkAccount, checkHead } from './check-head.ts';
import type { Login } from './login.ts';
import type { ImageModel } from './models.ts';
import { textOf } from './responses-request.ts';
import type { Script } from './script.ts';
import type { Settings } from './settings.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly login: Login;
  readonly images: Images;
  readonly script: Script;
  readonly calls: Calls;
  readonly settings: Settings;
  readonly originator: string;
  readonly responsesModels: readonly string[];
  readonly imageModels: ReadonlyMap<string, ImageModel>;
}

/**
 * `POST …/responses`. A call of the agent gets the reply of its model. Any other call is checked strictly and runs the
 * behaviour that the script selects.
 */
export function createResponsesEndpoint(deps: Deps) {
  const { clock, ids, login, calls, script, originator, settings } = deps;

  async function replyDirectly(call: ReceivedCall): Promise<void> {
    const { body, number, notify, signal, incoming, response } = call;
    checkHead(incoming.headers, login, originator);
    const request = checkBody(body, deps);
    const step = script.next(textOf(request));
    notify({ behaviour: step.behaviour.name });
    if (step.delayMs > 0) await sleep(clock, step.delayMs, signal);
    const onCut = () => notify({ outcome: 'cut' });
    const onSilence = (isSilent: boolean) => notify({ isSilent });
    const wire = { incoming, response, signal, onCut, onSilence };
    const own = { settings: step.settings, request, number };
    await step.behaviour.run(createCallInFlight({ ...deps, ...wire, ...own }));
  }

  return createCallHandler(calls, async (call) => {
    const turn = toAgentTurn(call.body);
    if (!turn) return replyDirectly(call);
    checkAccount(call.incoming.headers, login);
    return sendAgentReply(call, turn, { clock, ids, silenceMs: settings.silenceMs });
  });
}
