import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import type { EventStream } from '../event-stream.ts';
import type { Exchange, StreamChanges } from '../exchange.ts';
import { toolOf } from '../responses-request.ts';
import type { WireEvent } from '../wire-types.ts';

/** A partial image takes so much less than the finished one. */
const PARTIAL_SHARE = 1 / 8;

/** The beginning of every answer. */
export function opening({ events, items, settings }: Exchange): WireEvent[] {
  const started = [events.created(), events.inProgress()];
  if (!settings.hasExtras) return started;
  const thought = items.reasoning();
  return [...started, events.added(thought, 0), events.done(thought, 0)];
}

/** Where the first item of interest stands: an answer with extras has a thought before it. */
export function firstIndex({ settings }: Exchange): number {
  return settings.hasExtras ? 1 : 0;
}

/** An image call from its beginning up to where it shows something. */
export function drawing(exchange: Exchange, id: string): WireEvent[] {
  const { events, items } = exchange;
  const index = firstIndex(exchange);
  const added = events.added(items.emptyCall(id, 'in_progress'), index);
  return [added, ...events.drawing(id, index)];
}

/** As many partial images as were asked for, at least `atLeast`. */
async function partials(exchange: Exchange, id: string, atLeast = 0): Promise<WireEvent[]> {
  const { order, events, request } = exchange;
  const count = Math.max(atLeast, toolOf(request).partial_images ?? 0);
  const shown: WireEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const variant = `${order.variant}, partial ${index}`;
    const image = await exchange.draw({ variant, bytes: order.bytes * PARTIAL_SHARE });
    shown.push(events.partial(id, firstIndex(exchange), index, image.base64));
  }
  return shown;
}

/** The items' ends, and the answer's. */
export function ending(exchange: Exchange, output: ResponseOutputItem[]): WireEvent[] {
  return [...done(exchange, output), completed(exchange, output)];
}

function done(exchange: Exchange, output: ResponseOutputItem[]): WireEvent[] {
  const { events } = exchange;
  const first = firstIndex(exchange);
  return output.flatMap((item, place): WireEvent[] => {
    const end = events.done(item, first + place);
    return item.type === 'image_generation_call' && item.result !== null
      ? [drawn(item.id, first + place), end]
      : [end];
  });
}

function completed(exchange: Exchange, output: ResponseOutputItem[]): WireEvent {
  const { completedOutput } = exchange.settings;
  return exchange.events.completed(completedOutput === 'full' ? output : []);
}

/** A finished image call with this result, or with the image that was asked for. */
export async function finishedCall(exchange: Exchange, id: string, base64?: Buffer) {
  const result = base64 ?? (await exchange.draw()).base64;
  return exchange.items.finishedCall(id, exchange.settings.itemStatus, result);
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

/** The usual answer, with this base64 in place of the image's, and at least so many partial images. */
export async function usualAnswer(
  exchange: Exchange,
  { base64, leastPartials = 0 }: { base64?: Buffer; leastPartials?: number } = {},
): Promise<Answer> {
  const id = exchange.items.newCallId();
  const item = await finishedCall(exchange, id, base64);
  return {
    opening: opening(exchange),
    drawing: drawing(exchange, id),
    partials: await partials(exchange, id, leastPartials),
    drawn: drawn(id, firstIndex(exchange)),
    itemDone: exchange.events.done(item, firstIndex(exchange)),
    completed: completed(exchange, [item]),
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
  exchange: Exchange,
  events: readonly WireEvent[],
  changes: StreamChanges = {},
): Promise<void> {
  const stream = exchange.open(changes);
  await sendAll(stream, events);
  await stream.end();
}

export async function sendAll(stream: EventStream, events: readonly WireEvent[]): Promise<void> {
  for (const event of events) await stream.send(event);
}

function drawn(item_id: string, output_index: number): WireEvent {
  return { type: 'response.image_generation_call.completed', item_id, output_index };
}
