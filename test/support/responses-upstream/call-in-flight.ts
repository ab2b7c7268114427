import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, nowSecs } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { createBase64Slots } from '../upstream/base64-slots.ts';
import { createGzipSink } from '../upstream/byte-sink.ts';
import type { Image, ImageOrder, Images } from '../upstream/images.ts';
import { createReplyWire } from '../upstream/reply-wire.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import { createEvents } from './events.ts';
import { createItems } from './items.ts';
import { type ResponsesRequest, textOf, toolOf } from './responses-request.ts';
import type { Settings } from './settings.ts';
import type { ImageNotes } from './wire-types.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly images: Images;
  readonly settings: Settings;
  readonly request: ResponsesRequest;
  /** Number of the call, counted from 0. */
  readonly number: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Called before the connection is broken on purpose. */
  readonly onCut: () => void;
  readonly onSilence: (isSilent: boolean) => void;
}

/** The changes that a behaviour may make to its stream. */
export type StreamChanges = Partial<Settings> & { readonly isCompressed?: boolean };

const DEFAULT_SIZE = '1024x1024';

export type CallInFlight = ReturnType<typeof createCallInFlight>;

/** One checked call, and the functions that a behaviour may use for it. Every wait rejects after the client disconnects. */
export function createCallInFlight(deps: Deps) {
  const { clock, ids, images, settings, request, number, signal } = deps;
  const slots = createBase64Slots(ids);
  const notes = imageNotes(request);
  const responseId = `resp_${ids.newOpaqueId()}`;
  const revisedPrompt = `Soft colours under a little grain, image ${number + 1}.`;
  const order = imageOrder(request, settings, number);
  const { open, ...wire } = createReplyWire({ ...deps, slots });

  return {
    settings,
    request,
    signal,
    ...wire,
    order,
    events: createEvents({ responseId, slots, notes, request, createdSecs: nowSecs(clock) }),
    items: createItems({ ids, slots, notes, revisedPrompt }),

    /** Returns the requested image, with `changes`. */
    generate(changes: Partial<ImageOrder> = {}): Promise<Image> {
      return images.generate({ ...order, ...changes });
    },

    /** Sends the header of an event stream, with `changes` to the settings. */
    open({ isCompressed = false, ...changes }: StreamChanges = {}): EventStream {
      const chosen = { ...settings, ...changes };
      const type = chosen.hasContentType ? { 'content-type': 'text/event-stream' } : {};
      const encoding = isCompressed ? { 'content-encoding': 'gzip' } : {};
      const ownId = { 'x-request-id': ids.newUuid() };
      const headers = { 'cache-control': 'no-cache', ...ownId, ...type, ...encoding };
      const sink = open(headers, chosen);
      const body = isCompressed ? createGzipSink(sink) : sink;
      return createEventStream({ sink: body, slots, settings: chosen, wait: wire.wait });
    },
  };
}

function imageOrder(request: ResponsesRequest, settings: Settings, number: number): ImageOrder {
  const tool = toolOf(request);
  const [width = 0, height = 0] = (tool.size ?? DEFAULT_SIZE).split('x').map(Number);
  return {
    format: tool.output_format,
    width,
    height,
    hasAlpha: tool.background === 'transparent',
    ground: /#[0-9a-f]{6}\b/i.exec(textOf(request))?.[0],
    quality: tool.output_compression,
    bytes: settings.imageBytes,
    variant: String(number % settings.imageVariants),
  };
}

function imageNotes(request: ResponsesRequest): ImageNotes {
  const { action, background, output_format, quality, size } = toolOf(request);
  return {
    action: action ?? 'generate',
    background: background ?? 'opaque',
    output_format,
    quality: quality ?? 'high',
    size: size ?? DEFAULT_SIZE,
  };
}
