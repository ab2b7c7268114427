import type { Image, ImageOrder } from '../../upstream/images.ts';
import type { CallInFlight, StreamEvent } from '../call-in-flight.ts';
import type { Settings } from '../settings.ts';

type Members = Readonly<Record<string, unknown>>;

/** The size of a partial image relative to the finished image. */
const PARTIAL_SHARE = 1 / 8;

/** Sends the usual reply: a stream if one was requested, otherwise the whole reply. */
export async function succeed(inFlight: CallInFlight): Promise<void> {
  if (inFlight.call.isStream) await play(inFlight, allOf(await defaultEvents(inFlight)));
  else await inFlight.replyJson(await defaultBody(inFlight));
}

/** Sends the reply with the requested number of images, each drawn with `changes`. */
export async function defaultBody(
  inFlight: CallInFlight,
  changes: Partial<ImageOrder> = {},
  count = inFlight.call.n,
): Promise<Members> {
  const items: Members[] = [];
  for (let index = 0; index < count; index += 1) {
    items.push(asked(inFlight, await inFlight.draw(changes)));
  }
  return inFlight.body(items);
}

/** Returns the image in the requested form. */
export function asked(inFlight: CallInFlight, image: Image): Members {
  return inFlight.call.responseFormat === 'url'
    ? { url: `${inFlight.origin}${inFlight.store(image.bytes)}` }
    : { b64_json: inFlight.mark(image.base64) };
}

/** The events of a stream, in the parts between which a behaviour can act. */
export interface Events {
  readonly partials: readonly StreamEvent[];
  readonly completed: readonly StreamEvent[];
}

/**
 * Returns the events of every requested image, with this base64 instead of that of the images, and at least this many partial
 * images.
 */
export async function defaultEvents(
  inFlight: CallInFlight,
  { base64, leastPartials = 0 }: { base64?: Buffer; leastPartials?: number } = {},
): Promise<Events> {
  const { call } = inFlight;
  const partials: StreamEvent[] = [];
  const completed: StreamEvent[] = [];
  const usage = inFlight.eventUsage();
  for (let output = 0; output < call.n; output += 1) {
    const image = base64 ?? (await inFlight.draw()).base64;
    const count = Math.max(leastPartials, call.partialImages);
    for (let index = 0; index < count; index += 1) {
      const shown = await partialImage(inFlight, index);
      partials.push(event(inFlight, 'partial_image', shown, { partial_image_index: index }));
    }
    completed.push(event(inFlight, 'completed', image, { usage }));
  }
  return { partials, completed };
}

export function allOf({ partials, completed }: Events): readonly StreamEvent[] {
  return [...partials, ...completed];
}

/** Returns one event with an image (images streaming reference, 2026-11). */
export function event(
  inFlight: CallInFlight,
  kind: 'partial_image' | 'completed',
  base64: Buffer,
  members: Members,
): StreamEvent {
  const { call, createdSecs: created_at } = inFlight;
  const { background, format: output_format, quality, width, height } = call;
  return {
    type: `${call.operation === 'edit' ? 'image_edit' : 'image_generation'}.${kind}`,
    b64_json: inFlight.mark(base64),
    created_at,
    size: `${width}x${height}`,
    quality,
    background,
    output_format,
    ...members,
  };
}

/** Sends these events as a complete stream. */
export async function play(
  inFlight: CallInFlight,
  events: readonly StreamEvent[],
  changes: Partial<Settings> = {},
): Promise<void> {
  const stream = inFlight.openStream(changes);
  for (const one of events) await stream.send(one);
  await stream.end();
}

async function partialImage(inFlight: CallInFlight, index: number): Promise<Buffer> {
  const { order, call } = inFlight;
  const bytes = order.bytes * PARTIAL_SHARE;
  const variant = `${call.prompt}, partial ${index}`;
  return (await inFlight.draw({ bytes, variant })).base64;
}
