import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, nowSecs, sleep } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { createBase64Slots } from '../upstream/base64-slots.ts';
import { type ByteSink, createByteSink, createGzipSink } from '../upstream/byte-sink.ts';
import type { Image, ImageOrder, Images } from '../upstream/images.ts';
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
  /** 0 for the first call. */
  readonly number: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Called before the connection is broken on purpose. */
  readonly onCut: () => void;
  readonly onSilence: (isSilent: boolean) => void;
}

type Headers = Readonly<Record<string, string>>;

/** What a behaviour may change about its stream. */
export type StreamChanges = Partial<Settings> & { readonly isCompressed?: boolean };

const DEFAULT_SIZE = '1024x1024';

export type CallInFlight = ReturnType<typeof createCallInFlight>;

/** One checked call and all that a behaviour may do with it. Every wait rejects once the client has disconnected. */
export function createCallInFlight(deps: Deps) {
  const { clock, ids, images, settings, request, number, response, signal } = deps;
  const slots = createBase64Slots(ids);
  const notes = imageNotes(request);
  const responseId = `resp_${ids.newOpaqueId()}`;
  const revisedPrompt = `Soft colours under a little grain, image ${number + 1}.`;
  const order = imageOrder(request, settings, number);
  const wait = (delayMs: number) => sleep(clock, delayMs, signal);
  let sink: ByteSink | undefined;

  return {
    settings,
    request,
    signal,
    wait,
    order,
    events: createEvents({ responseId, slots, notes, request, createdSecs: nowSecs(clock) }),
    items: createItems({ ids, slots, notes, revisedPrompt }),

    /** The requested image, with `changes`. */
    generate(changes: Partial<ImageOrder> = {}): Promise<Image> {
      return images.generate({ ...order, ...changes });
    },

    /** Sends a reply with one body: text as HTML, anything else as JSON. */
    async reply(status: number, body: unknown, headers: Headers = {}): Promise<void> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      const whole = createByteSink({ ...deps, ...settings });
      for (const part of slots.fill(text)) await whole.write(part);
      await whole.end();
    },

    /** Sends the head of an event stream, with `changes` to the settings. */
    open({ isCompressed = false, ...changes }: StreamChanges = {}): EventStream {
      const chosen = { ...settings, ...changes };
      const type = chosen.hasContentType ? { 'content-type': 'text/event-stream' } : {};
      const encoding = isCompressed ? { 'content-encoding': 'gzip' } : {};
      const ownId = { 'x-request-id': ids.newUuid() };
      response.writeHead(200, { 'cache-control': 'no-cache', ...ownId, ...type, ...encoding });
      response.flushHeaders();
      sink = createByteSink({ ...deps, ...chosen });
      const body = isCompressed ? createGzipSink(sink) : sink;
      return createEventStream({ sink: body, slots, settings: chosen, wait });
    },

    /** A future time in the format of HTTP headers (RFC 9110, 5.6.7). */
    httpDate: (aheadSecs: number) => new Date(clock.nowMs() + aheadSecs * 1000).toUTCString(),

    /** For writing bytes that are not HTTP. */
    socket: (): Socket => deps.incoming.socket,

    /** Flushes what was written before, then sends nothing for `silenceMs`. */
    async silence(): Promise<void> {
      await sink?.flush();
      deps.onSilence(true);
      await wait(settings.silenceMs);
      deps.onSilence(false);
    },

    /** Breaks the connection. Before a close, what was written is delivered; a reset may discard it. */
    async cut(how: 'close' | 'reset'): Promise<void> {
      const { socket } = deps.incoming;
      deps.onCut();
      if (how === 'reset') {
        socket.resetAndDestroy();
        return;
      }
      await sink?.flush();
      socket.end(() => socket.destroy());
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
