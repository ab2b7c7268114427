import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import type { Calls } from '../upstream/calls.ts';
import type { Images } from '../upstream/images.ts';
import { createCallHandler } from '../upstream/run-call.ts';
import type { createScript } from '../upstream/script.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import type { BehaviourName } from './behaviours/behaviours.ts';
import { createCallInFlight } from './call-in-flight.ts';
import type { Account, Bill, Dialect } from './dialects/dialect.ts';
import { readForm, readJson } from './request/fields.ts';
import type { ImageCall } from './request/image-call.ts';
import type { createResults } from './results.ts';
import type { Settings } from './settings.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dialect: Dialect;
  readonly account: () => Account;
  readonly images: Images;
  readonly results: ReturnType<typeof createResults>;
  readonly calls: Calls;
  readonly script: ReturnType<typeof createScript<BehaviourName, Behaviour, Settings>>;
  /** Address of this server, as `http://127.0.0.1:port`. */
  readonly origin: () => string;
}

/** Creates the routes that draw. Each call is checked strictly and runs the behaviour that the script selects. */
export function createImagesEndpoint(deps: Deps) {
  const { clock, dialect, calls, script } = deps;
  const accepted: ImageCall[] = [];
  const drawn = new Map<string, number>();
  const bills: Bill[] = [];

  return {
    /** The charges of the account, in the order in which the calls ended. */
    bills: (): readonly Bill[] => bills,
    /** The accepted requests, in the order of arrival. */
    accepted: (): readonly ImageCall[] => accepted,
    /** Returns the number of drawn finished images, which a caller pays for. */
    drawn: () => [...drawn.values()].reduce((sum, count) => sum + count, 0),
    /** Returns the number of drawn finished images of one prompt. */
    drawnFor: (prompt: string) => drawn.get(prompt) ?? 0,

    handler: (operation: ImageCall['operation']) =>
      createCallHandler(
        calls,
        async ({ body, incoming, response, notify, signal }) => {
          const { headers, url = '' } = incoming;
          const head = { headers, url: new URL(url, deps.origin()) };
          dialect.checkHead(head, deps.account());
          const fields =
            operation === 'edit' && !dialect.hasJsonEdits
              ? await readForm(headers, body)
              : readJson(headers, body);
          const call = await dialect.toCall(operation, fields, head);
          accepted.push(call);
          const { behaviour, settings, delayMs } = script.next(call.prompt);
          notify({ behaviour: behaviour.name });
          if (delayMs > 0) await sleep(clock, delayMs, signal);
          const onCut = () => notify({ outcome: 'cut' });
          const onSilence = (isSilent: boolean) => notify({ isSilent });
          let images = 0;
          const chosen = { ...settings, ...behaviour.settings };
          const own = {
            call,
            settings: chosen,
            origin: deps.origin(),
            countImage: () => {
              images += 1;
              return count(call);
            },
          };
          const wire = { incoming, response, signal, onCut, onSilence };
          const inFlight = createCallInFlight({ ...deps, ...own, ...wire });
          if (call.isStream && dialect.failsStreams) {
            await inFlight.draw();
            return inFlight.fail({ status: 500, message: 'no stream' });
          }
          try {
            await behaviour.run(inFlight);
          } finally {
            const amount = (dialect.price ?? 0n) * BigInt(images);
            if (images > 0) bills.push({ id: inFlight.generationId, images, amount });
          }
        },
        dialect.toErrorBody,
      ),
  };

  function count({ prompt }: ImageCall): number {
    const before = drawn.get(prompt) ?? 0;
    drawn.set(prompt, before + 1);
    return before;
  }
}
