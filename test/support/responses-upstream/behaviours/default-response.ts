import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import type { CallInFlight, StreamChanges } from '../call-in-flight.ts';
import type { EventStream } from '../event-stream.ts';
import { toolOf } from '../responses-request.ts';
import type { WireEvent } from '../wire-types.ts';

/** The size of a partial image relative to the finished image. */
const PARTIAL_SHARE = 1 / 8;

/** The first events of every stream. */
export function opening({ events, items, settings }: CallInFlight): WireEvent[] {
  const started = [events.created(), events.inProgress()];
  if (!settings.hasExtras) return started;
  const reasoning = items.reasoning();
  return [...started, events.added(reasoning, 0), events.done(reasoning, 0)];
}

/** The output index of the first image call. With extras a reasoning item comes first. */
export function firstIndex({ settings }: CallInFlight): number {
  return settings.hasExtras ? 1 : 0;
}

/** The events of an image call before its first image. */
export function generating(inFlight: CallInFlight, id: string): WireEvent[] {
  const { events, items } = inFlight;
  const index = firstIndex(inFlight);
  const added = events.added(items.emptyCall(id, 'in_progress'), index);
  return [added, ...events.generating(id, index)];
}

/** Returns as many partial images as requested, but at least `atLeast`. */
async function partials(inFlight: CallInFlight, id: string, atLeast = 0): Promise<WireEvent[]> {
  const { order, events, request } = inFlight;
  const count = Math.max(atLeast, toolOf(request).partial_images ?? 0);
  const shown: WireEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const variant = `${order.variant}, partial ${index}`;
    const image = await inFlight.generate({ variant, bytes: order.bytes * PARTIAL_SHARE });
    shown.push(events.partial(id, firstIndex(inFlight), index, image.base64));
  }
  return shown;
}

/** The final events of the items and of the response. */
export function ending(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent[] {
  return [...done(inFlight, output), completed(inFlight, output)];
}

function done(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent[] {
  const { events } = inFlight;
  const first = firstIndex(inFlight);
  return output.flatMap((item, index): WireEvent[] => {
    const end = events.done(item, first + index);
    return item.type === 'image_generation_call' && item.result !== null
      ? [generated(item.id, first + index), end]
      : [end];
  });
}

function completed(inFlight: CallInFlight, output: ResponseOutputItem[]): WireEvent {
  const { completedOutput } = inFlight.settings;
  return inFlight.events.completed(completedOutput === 'full' ? output : []);
}

/** Returns a finished image call with this result, or with the requested image. */
export async function finishedCall(inFlight: CallInFlight, id: string, base64?: Buffer) {
  const result = base64 ?? (await inFlight.generate()).base64;
  return inFlight.items.finishedCall(id, inFlight.settings.itemStatus, result);
}

/** The events of a response, in the parts between which a behaviour can act. */
export interface Reply {
  readonly opening: readonly WireEvent[];
  readonly generating: readonly WireEvent[];
  readonly partials: readonly WireEvent[];
  /** Event that announces the image. The next event contains the image. */
  readonly generated: WireEvent;
  readonly itemDone: WireEvent;
  readonly completed: WireEvent;
}

/** Returns the default response, with this base64 instead of that of the image, and at least this many partial images. */
export async function defaultResponse(
  inFlight: CallInFlight,
  { base64, leastPartials = 0 }: { base64?: Buffer; leastPartials?: number } = {},
): Promise<Reply> {
  const id = inFlight.items.newCallId();
  const item = await finishedCall(inFlight, id, base64);
  return {
    opening: opening(inFlight),
    generating: generating(inFlight, id),
    partials: await partials(inFlight, id, leastPartials),
    generated: generated(id, firstIndex(inFlight)),
    itemDone: inFlight.events.done(item, firstIndex(inFlight)),
    completed: completed(inFlight, [item]),
  };
}

export function untilPartials({ opening, generating, partials }: Reply): WireEvent[] {
  return [...opening, ...generating, ...partials];
}

/** Returns all events before the event with the image. */
export function untilItem(reply: Reply): WireEvent[] {
  return [...untilPartials(reply), reply.generated];
}

export function untilCompleted(reply: Reply): WireEvent[] {
  return [...untilItem(reply), reply.itemDone];
}

export function allOf(reply: Reply): WireEvent[] {
  return [...untilCompleted(reply), reply.completed];
}

/** Sends these events as a complete stream. */
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

function generated(item_id: string, output_index: number): WireEvent {
  return { type: 'response.image_generation_call.completed', item_id, output_index };
}
