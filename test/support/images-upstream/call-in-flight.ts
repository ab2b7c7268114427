import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, nowSecs } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { createBase64Slots } from '../upstream/base64-slots.ts';
import { type ByteSink, createGzipSink } from '../upstream/byte-sink.ts';
import { comment, framed } from '../upstream/framing.ts';
import type { Image, ImageOrder, Images } from '../upstream/images.ts';
import { createReplyWire } from '../upstream/reply-wire.ts';
import type { Dialect, Failure } from './dialects/dialect.ts';
import { tokenUsage } from './dialects/openai.ts';
import type { ImageCall } from './request/image-call.ts';
import type { createResults, ResultFault } from './results.ts';
import type { Settings } from './settings.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dialect: Dialect;
  readonly images: Images;
  readonly results: ReturnType<typeof createResults>;
  readonly settings: Settings;
  readonly call: ImageCall;
  /** Address of this server, as `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Returns the number of earlier images of this prompt, and counts one more. */
  readonly countImage: () => number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly onCut: () => void;
  readonly onSilence: (isSilent: boolean) => void;
}

type Members = Readonly<Record<string, unknown>>;

export interface StreamEvent extends Members {
  readonly type: string;
}

export type CallInFlight = ReturnType<typeof createCallInFlight>;

/** One accepted call, and the functions that a behaviour may use for it. Every wait rejects after the client disconnects. */
export function createCallInFlight(deps: Deps) {
  const { clock, ids, dialect, images, results, settings, call, origin } = deps;
  const slots = createBase64Slots(ids);
  const wire = createReplyWire({ ...deps, slots });
  const headers = dialect.replyHeaders(ids);
  const order = imageOrder(call, settings);
  let json: ByteSink | undefined;

  return {
    ...wire,
    call,
    order,
    settings,
    origin,
    createdSecs: nowSecs(clock),

    /** Draws the next image of the prompt, with `changes`. An image with its own variant is not counted. */
    draw(changes: Partial<ImageOrder> = {}): Promise<Image> {
      return images.generate({ ...order, ...changes, variant: changes.variant ?? variantOf(deps) });
    },

    /** Returns a placeholder for base64 in a reply or an event. */
    mark(base64: Buffer): string {
      if (!settings.isPretty) return slots.mark(base64);
      return slots.mark(Buffer.from(base64.toString('latin1').replaceAll('/', '\\/'), 'latin1'));
    },

    /** Stores the image and returns the path from which it can be fetched. */
    store: (bytes: Buffer, fault?: ResultFault): string => results.store(bytes, fault),

    /** Builds a reply with these items and the additions of the dialect. */
    body(items: readonly Members[], changes: Members = {}): Members {
      const data = items.map((item) => ({ ...item, ...dialect.itemMembers(call) }));
      const members = dialect.replyMembers(call, ids);
      return { created: nowSecs(clock), data, ...members, ...changes };
    },

    /** Returns the usage in the last event of an image. */
    eventUsage: () => (dialect.eventUsage ?? ((it: ImageCall) => tokenUsage(it, 1)))(call),

    /** The id under which the server bills the call, if it has such ids. */
    generationId: headers['x-generation-id'],

    /** Sends JSON with status 200. */
    async replyJson(body: Members): Promise<void> {
      json = openBody();
      for (const part of encoded(body)) await json.write(part);
      await json.end();
    },

    /** Sends the first `share` of the JSON, from 0 to 1, and leaves the reply open. */
    async replyPart(body: Members, share: number): Promise<void> {
      const bytes = Buffer.concat(encoded(body));
      await openBody().write(bytes.subarray(0, Math.floor(bytes.length * share)));
    },

    /** Sends an error in the form of the dialect. */
    fail(failure: Failure, more: Readonly<Record<string, string>> = {}): Promise<void> {
      const body = dialect.toErrorBody(failure);
      return wire.reply(failure.status, body, { ...headers, ...more });
    },
    /** Returns an error in the form of the dialect. */
    failureBody: (failure: Failure) => dialect.toErrorBody(failure),

    /** Sends a page or no body, with the headers of the server. */
    replyPage(status: number, page: string, more: Readonly<Record<string, string>> = {}) {
      return wire.reply(status, page, { ...headers, ...more });
    },

    /** Sends the header of an event stream. */
    openStream(changes: Partial<Settings> = {}) {
      const chosen = { ...settings, ...changes };
      const type = { 'content-type': 'text/event-stream; charset=utf-8' };
      const sink = wire.open({ ...headers, ...type, 'cache-control': 'no-cache' }, chosen);
      return createStream(sink, chosen);
    },
  };

  function openBody(): ByteSink {
    const { contentType, isCompressed } = settings;
    const type = contentType === undefined ? {} : { 'content-type': contentType };
    const encoding = isCompressed ? { 'content-encoding': 'gzip' } : {};
    const sink = wire.open({ ...headers, ...type, ...encoding });
    return isCompressed ? createGzipSink(sink) : sink;
  }

  function encoded(body: Members): Buffer[] {
    return slots.fill(JSON.stringify(body, null, settings.isPretty ? 2 : undefined));
  }

  function createStream(sink: ByteSink, { framing, hasExtras, pauseMs }: Settings) {
    let isFirst = true;
    return {
      async send(event: StreamEvent): Promise<void> {
        if (pauseMs > 0) await wire.wait(pauseMs);
        if (isFirst && framing.beginsWithBom) await sink.write(Buffer.from('\uFEFF'));
        isFirst = false;
        if (hasExtras) await sink.write(comment(framing.commentText, framing));
        for (const part of framed(event, framing, slots)) await sink.write(part);
      },
      async raw(bytes: Buffer | string): Promise<void> {
        await sink.write(Buffer.from(bytes));
      },
      /** Returns the bytes of an event that the caller sends itself. */
      encode: (event: StreamEvent): Buffer => Buffer.concat(framed(event, framing, slots)),
      async end(): Promise<void> {
        if (framing.endsWithDone) await sink.write(Buffer.from('data: [DONE]\n\n'));
        await sink.end();
      },
    };
  }
}

function imageOrder(call: ImageCall, settings: Settings): Omit<ImageOrder, 'variant'> {
  const { format, width, height, compression: quality, background, prompt } = call;
  return {
    format,
    width: settings.edge ?? width,
    height: settings.edge ?? height,
    hasAlpha: background === 'transparent',
    ground: /#[0-9a-f]{6}\b/i.exec(prompt)?.[0],
    quality,
    bytes: settings.imageBytes,
  };
}

/** Returns the variant of an image. A seed alone decides it. Without a seed, the images of a prompt are different. */
function variantOf({ call, settings, countImage }: Deps): string {
  const number = countImage();
  const which = call.seed === undefined ? number % settings.imageVariants : `seed ${call.seed}`;
  return `${settings.drawsPrompts ? call.prompt : 'any prompt'}, ${which}`;
}
