import { createCallOutcome } from '../../../../lib/providers/agent-responses/call-outcome.ts';
import { createSseReader, streamLimits } from '../../../../lib/providers/http/sse.ts';
import type { ProviderEvent, ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import { agentRequest } from './requests.ts';

const LIMITS = streamLimits(4 * 1024 * 1024);

/** The outcome of one stream. */
export interface Played {
  readonly outcome: ReturnType<typeof createCallOutcome>;
  readonly events: readonly ProviderEvent[];
  /** The error that an event threw. No later event was read. */
  readonly thrown: unknown;
}

/** Sends these events, encoded as a stream, to an outcome. */
export function play(sent: readonly unknown[], request: ProviderRequest = agentRequest()): Played {
  const events: ProviderEvent[] = [];
  const outcome = createCallOutcome(request, (event) => events.push(event));
  const reader = createSseReader(LIMITS, (data) => outcome.take(data));
  try {
    for (const event of sent) reader.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    return { outcome, events, thrown: undefined };
  } catch (thrown) {
    return { outcome, events, thrown };
  }
}

/** Returns the error that the stream throws, at the event that reports the error or at the end. */
export function failureOf(events: readonly unknown[], request?: ProviderRequest): unknown {
  const { outcome, thrown } = play(events, request);
  if (thrown !== undefined) return thrown;
  try {
    return { unexpected: outcome.result() };
  } catch (error) {
    return error;
  }
}

/** Returns bytes that differ for each seed, as many as a small or large image has. */
export function imageOf(seed: number, length = 600): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 256));
}

export function imageCall(bytes: Buffer | string | null, members: object = {}) {
  const result = Buffer.isBuffer(bytes) ? bytes.toString('base64') : bytes;
  return { type: 'image_generation_call', id: 'ig_1', status: 'completed', result, ...members };
}

export const done = (item: object) => ({ type: 'response.output_item.done', item });

export function completed(output: readonly object[] = [], members: object = {}) {
  return { type: 'response.completed', response: { status: 'completed', output, ...members } };
}
