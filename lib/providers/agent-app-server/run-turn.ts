import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProviderContext, ProviderOutput, ProviderRequest } from '../provider-port.ts';
import type { AgentChild } from './agent-child.ts';
import { isNotFound, threadNotFound } from './threads.ts';
import { toTurnInput } from './turn-input.ts';
import { createTurnOutcome } from './turn-outcome.ts';

interface Turn {
  readonly child: AgentChild;
  readonly threadId: string;
  readonly request: ProviderRequest;
  /** The files of its sources and references. */
  readonly paths: readonly string[];
  /**
   * Whether the turn is interrupted as soon as there is an image, which saves a model call. The thread has no use for
   * another turn then: its history says that the image was aborted.
   */
  readonly stopsAtImage: boolean;
}

interface RunningTurn {
  /** Rejects with why there is no image, or with the signal's reason once the turn has ended. */
  readonly output: Promise<ProviderOutput>;
  /** Resolves with whether the turn is known to have ended, when nothing more can be learned. Never rejects. */
  readonly ended: Promise<boolean>;
}

/**
 * Starts one turn on a thread that has none running. Throws `upstream`, `protocol` for a child that has ended. Once `dispatched` was reported, a failure of unknown outcome says so:
 * such a turn must not be repeated.
 */
export function runTurn(
  { child, threadId, request, paths, stopsAtImage }: Turn,
  { signal, onEvent }: Pick<ProviderContext, 'signal' | 'onEvent'>,
  clock: Pick<Clock, 'nowMs'>,
): RunningTurn {
  child.throwIfEnded();
  let isReporting = true;
  const outcome = createTurnOutcome(request, clock.nowMs, (event) => {
    if (isReporting) onEvent(event);
  });
  /** Resolves with whether the turn is known to have ended. */
  const over = Promise.withResolvers<boolean>();
  const hasImage = Promise.withResolvers<void>();
  let isInterrupted = false;
  let isStarted = false;
  let failure: BridgeError | undefined;

  const unsubscribe = child.subscribe(threadId, {
    onNotification(notification) {
      outcome.take(notification);
      if (outcome.image()) hasImage.resolve();
      if (outcome.hasEnded()) over.resolve(true);
      if (notification.method === 'turn/started') noteStart();
    },
    onEnd(cause) {
      failure ??= afterDispatch(cause);
      over.resolve(true);
    },
  });

  /** An interruption that came before the turn had begun has ended nothing: it is repeated. */
  function noteStart(): void {
    isStarted = true;
    if (isInterrupted) void interrupt();
  }

  /** With the id of the turn an early interruption fails; the empty one means the turn that runs. */
  async function interrupt(): Promise<void> {
    isInterrupted = true;
    const isLate = isStarted;
    try {
      const reply = await child.request('turn/interrupt', { threadId, turnId: '' });
      if (!reply.ok) over.resolve(false);
      else if (isLate) over.resolve(true);
    } catch {
      over.resolve(false);
    }
  }

  async function start(): Promise<void> {
    try {
      const input = toTurnInput(request, paths);
      const reply = await child.request('turn/start', { threadId, input, effort: 'low' });
      if (reply.ok) {
        noteStart();
        return;
      }
      failure = isNotFound(reply.message)
        ? threadNotFound()
        : new BridgeError('upstream', 'the agent refuses the turn');
      over.resolve(true);
    } catch (thrown) {
      failure = afterDispatch(thrown);
      // The turn may run although its start was not confirmed.
      isStarted = true;
      if (child.hasEnded()) over.resolve(true);
      else await interrupt();
    }
  }

  async function output(): Promise<ProviderOutput> {
    const onAbort = () => void interrupt();
    signal.addEventListener('abort', onAbort, { once: true });
    await (stopsAtImage ? Promise.race([hasImage.promise, over.promise]) : over.promise);
    signal.removeEventListener('abort', onAbort);
    isReporting = false;
    const image = outcome.image();
    if (signal.aborted) {
      await over.promise;
      throw signal.reason;
    }
    if (image && stopsAtImage && !outcome.hasEnded()) void interrupt();
    if (image) return image;
    throw outcome.hasEnded() ? outcome.failure() : (failure ?? afterDispatch(undefined));
  }

  onEvent({ type: 'progress', stage: 'dispatched' });
  void start();
  return { output: output(), ended: over.promise.finally(unsubscribe) };
}

/** The child was lost in the middle of a turn: it is not known whether an image was made and paid for. */
function afterDispatch(cause: unknown): BridgeError {
  const code = cause instanceof BridgeError ? cause.code : 'upstream';
  const reason = cause instanceof BridgeError ? cause.details['reason'] : undefined;
  return new BridgeError(code, 'the agent was lost before the image was complete', {
    effect: 'unknown',
    details: { reason: reason ?? 'agent_lost' },
    cause,
  });
}
