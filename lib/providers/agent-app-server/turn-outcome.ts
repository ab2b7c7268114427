import { BridgeError } from '../../errors/bridge-error.ts';
import { afterOutputBegan, unusableImages } from '../failed-calls.ts';
import type { CallFacts, ProviderContext, ProviderOutput } from '../provider-port.ts';
import type { Notification } from './rpc-connection.ts';
import { fromItemFailure, fromToolOutput, fromTurnError } from './turn-errors.ts';
import { parseTurnNotification, type TurnItem } from './turn-notification.ts';

interface EndOfTurn {
  readonly status: string;
  readonly error: BridgeError | undefined;
}

/**
 * Adds up the notifications of one turn to its outcome. A failed image does not fail the turn of the agent, and a turn
 * without an image does not fail either (agent-app-server.md, 5.2 and 5.3).
 */
export function createTurnOutcome(
  request: CallFacts,
  nowMs: () => number,
  onEvent: ProviderContext['onEvent'],
) {
  const [index = 0] = request.indices;
  const openItems = new Set<string>();
  const toolOutputs = new Map<string, string>();
  let image: ProviderOutput | undefined;
  let failedItem: TurnItem | undefined;
  let isUnusable = false;
  let turnId: string | null | undefined;
  let ended: EndOfTurn | undefined;

  function takeItem(item: TurnItem, message: Notification['message']): void {
    openItems.delete(item.id ?? '');
    if (item.status === 'failed' || !item.result) {
      failedItem ??= item;
      return;
    }
    // With several images the first one counts.
    if (image) return;
    const bytes = message.bytesOf(item.result);
    const prompt = item.revisedPrompt;
    if (!bytes) isUnusable = true;
    else if (prompt && !message.isPlaceholder(prompt)) image = { bytes, revisedPrompt: prompt };
    else image = { bytes };
  }

  function failure(): BridgeError {
    if (isUnusable) return unusableImages('the agent gave no usable image', 'unusable_image');
    const failedOutput = toolOutputs.get(failedItem?.id ?? '') ?? [...toolOutputs.values()][0];
    const error = failedItem?.failure
      ? fromItemFailure(failedItem.failure, request, nowMs())
      : failedOutput !== undefined
        ? fromToolOutput(failedOutput, request)
        : failureOfTurn(ended);
    // The backend may still finish an image whose item never ended.
    return openItems.size > 0 ? afterOutputBegan(error) : error;
  }

  return {
    take(notification: Notification): void {
      const taken = parseTurnNotification(notification);
      if (taken?.type === 'turn_started') turnId = taken.turnId;
      // The last notifications of an interrupted turn may come after the next one was accepted.
      if (taken?.turnId !== turnId) return;
      switch (taken?.type) {
        case 'item_started':
          if (taken.item.type !== 'imageGeneration') return;
          openItems.add(taken.item.id ?? '');
          if (openItems.size === 1 && !image) {
            onEvent({ type: 'progress', stage: 'generating', index });
          }
          return;
        case 'item_completed':
          if (taken.item.type === 'imageGeneration') takeItem(taken.item, notification.message);
          return;
        case 'tool_output':
          if (!notification.message.isPlaceholder(taken.output)) {
            toolOutputs.set(taken.callId, taken.output);
          }
          return;
        case 'turn_completed': {
          const { status, error } = taken;
          ended = { status, error: error && fromTurnError(error, request) };
          return;
        }
        default:
      }
    },

    /** The turn is over. Where the model has stopped waiting for an image, it comes after that (3.5). */
    hasEnded: () => ended !== undefined && (openItems.size === 0 || ended.status !== 'completed'),

    image: () => image,

    /** Why there is no image, once the turn has ended. */
    failure,
  };
}

/** The failure of a turn that ended without an image, and without a failed image. */
function failureOfTurn(ended: EndOfTurn | undefined): BridgeError {
  if (ended?.error) return ended.error;
  if (ended?.status === 'interrupted') {
    return new BridgeError('upstream', 'the agent has interrupted the turn', {
      effect: 'unknown',
      details: { reason: 'turn_interrupted' },
    });
  }
  return new BridgeError('upstream', 'the turn of the agent ended without an image', {
    details: { reason: 'no_image' },
  });
}
