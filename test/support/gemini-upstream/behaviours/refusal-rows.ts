import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import { behaviour, replyOf } from './behaviour.ts';

const BLOCK_REASONS = [
  'SAFETY',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'IMAGE_SAFETY',
] as const;

const FINISH_REASONS = [
  'SAFETY',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'RECITATION',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
  'NO_IMAGE',
  'MAX_TOKENS',
  'OTHER',
  'STOP',
] as const;

/** Complete replies without an image. */
export const REFUSAL_ROWS = [
  ...BLOCK_REASONS.map((reason) =>
    behaviour(`block=${reason}`, 'the prompt is refused', (inFlight) =>
      inFlight.reply(200, {
        promptFeedback: { blockReason: reason, blockReasonMessage: UPSTREAM_TEXT },
        usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      }),
    ),
  ),
  ...FINISH_REASONS.map((reason) =>
    behaviour(`finish=${reason}`, 'ends without an image, for this reason', (inFlight) =>
      inFlight.reply(
        200,
        replyOf(inFlight, [], {
          candidates: [{ finishReason: reason, finishMessage: UPSTREAM_TEXT, index: 0 }],
        }),
      ),
    ),
  ),
  behaviour('second-candidate', 'the second candidate has the image', async (inFlight) =>
    inFlight.reply(
      200,
      replyOf(inFlight, [], {
        candidates: [
          { finishReason: 'IMAGE_SAFETY', index: 0 },
          {
            content: { role: 'model', parts: [await inFlight.imagePart()] },
            finishReason: 'STOP',
            index: 1,
          },
        ],
      }),
    ),
  ),
  behaviour('finish=odd', 'ends without an image, for a reason that is a sentence', (inFlight) =>
    inFlight.reply(200, replyOf(inFlight, [], { candidates: [{ finishReason: UPSTREAM_TEXT }] })),
  ),
  behaviour('words-only', 'a text instead of an image', (inFlight) =>
    inFlight.reply(200, replyOf(inFlight, [{ text: UPSTREAM_TEXT }])),
  ),
  behaviour('no-candidates', 'no candidate at all', (inFlight) =>
    inFlight.reply(200, replyOf(inFlight, [], { candidates: [] })),
  ),
] as const;
