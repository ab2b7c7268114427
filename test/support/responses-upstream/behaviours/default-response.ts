import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import type { CallInFlight, StreamChanges } from '../call-in-flight.ts';
import type { EventStream } from '../event-stream.ts';
import { toolOf } from '../responses-request.ts';
import type { WireEvent } from '../wire-types.ts';

/** A partial image takes so much less than the finished one. */
const PARTIAL_SHARE = 1 / 8;

/** The beginning of every answer. */
export function opening({ events, items, settings }: CallInFlight): WireEvent[] {
  const started = [events.created(), events.inProgress()];
  if (!settings.hasExtras) return started;
  const thought = items.reasoning();
  return [...started, events.added(thought, 0), events.done(thought, 0)];
}

/** Where the first item of interest stands: an answer with extras has a thought before it. */
export function firstIndex({ settings }: CallInFlight): number {
  return settings.hasExtras ? 1 : 0;
}

/** An image call from its beginning up to where it shows something. */
export function drawing(inFlight: CallInFlight, id: string): WireEvent[] {
  const { events, items } = inFlight;
  const index = firstIndex(inFlight);
  const added = events.added(items.emptyCall(id, 'in_progress'), index);
  return [added, ...events.drawing(id, index)];
}

/** As many partial images as were asked for, at least `atLeast`. */
async function partials(inFlight: CallInFlight, id: string, atLeast = 0): Promise<WireEvent[]> {
  const { order, events, request } = inFlight;
  const count = Math.max(atLeast, toolOf(request).partial_images ?? 0);
  const shown: WireEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const variant = `${order.variant}, partial ${index}`;
    const image = await inFlight.draw({ variant, bytes: order.bytes * PARTIAL_SHARE });
    shown.push(events.partial(id, firstIndex(inFlight), index, image.base64));
  }
  return shown;
}

/** The items' ends, and the answer's. */
export function ending(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent[] {
  return [...done(inFlight, output), completed(inFlight, output)];
}

function done(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent[] {
  const { events } = inFlight;
  const first = firstIndex(inFlight);
  return output.flatMap((item, place): WireEvent[] => {
    const end = events.done(item, first + place);
    return item.type === 'image_generation_call' && item.result !== null
      ? [drawn(item.id, first + place), end]
      : [end];
  });
}

function completed(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent {
  const { completedOutput } = inFlight.settings;
  return inFlight.events.completed(completedOutput === 'full' ? output : []);
}

/** A finished image call with this result, or with the image that was asked for. */
export async function finishedCall(inFlight: CallInFlight, id: string, base64?: Buffer) {
  const result = base64 ?? (await inFlight.draw()).base64;
  return inFlight.items.finishedCall(id, inFlight.settings.itemStatus, result);
}

/** An answer in the parts between which something can happen. */
export interface Answer {
  readonly opening: readonly WireEvent[];
  readonly drawing: readonly WireEvent[];
  readonly partials: readonly WireEvent[];
  /** Says that there is an image; the next one holds it. */
  readonly drawn: WireEvent;
  readonly itemDone: WireEvent;
  readonly completed: WireEvent;
}

/** The default response, with this base64 in place of the image's, and at least so many partial images. */
export async function defaultResponse(
  inFlight: CallInFlight,
  { base64, leastPartials = 0 }: { base64?: Buffer; leastPartials?: number } = {},
): Promise<Answer> {
  const id = inFlight.items.newCallId();
  const item = await finishedCall(inFlight, id, base64);
  return {
    opening: opening(inFlight),
    drawing: drawing(inFlight, id),
    partials: await partials(inFlight, id, leastPartials),
    drawn: drawn(id, firstIndex(inFlight)),
    itemDone: inFlight.events.done(item, firstIndex(inFlight)),
    completed: completed(inFlight, [item]),
  };
}

export function untilPartials({ opening, drawing, partials }: Answer): WireEvent[] {
  return [...opening, ...drawing, ...partials];
}

/** Up to where the next event is the one with the image. */
export function untilItem(answer: Answer): WireEvent[] {
  return [...untilPartials(answer), answer.drawn];
}

export function untilCompleted(answer: Answer): WireEvent[] {
  return [...untilItem(answer), answer.itemDone];
}

export function allOf(answer: Answer): WireEvent[] {
  return [...untilCompleted(answer), answer.completed];
}

/** Sends a whole answer. */
export async function play(
  inFlight: CallInFlight,
  events: readonly WireEvent[],
  changes: StreamChanges = {},
): Promise<void> {
  const stream = inFlight.open(changes);
  await sendAll(stream, events);
  await stream.end();
}

export async function sendAll(stream: EventStream, events: readonly WireEvent[]): Promise<void> {
  for (const event of events) await stream.send(event);
}

function drawn(item_id: string, output_index: number): WireEvent {
  return { type: 'response.image_generation_call.completed', item_id, output_index };
}
