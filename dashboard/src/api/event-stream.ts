import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Api } from './api.ts';

interface Options {
  readonly path: string;
  /** The id to send as Last-Event-ID, so that the bridge continues after this event. */
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  /** Called with each part of the stream. The first part may contain no event. */
  onPart(): void;
  onEvent(event: EventSourceMessage): void;
}

/** The time without data, in milliseconds, after which a stream is treated as broken. Heartbeats arrive every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Reads one stream of server-sent events to its end. Uses fetch, because EventSource cannot send the bearer token.
 * Throws ApiError if the bridge rejects the request, and rethrows the browser's error if the connection fails.
 */
export async function readEventStream(api: Api, options: Options): Promise<void> {
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  const { lastEventId } = options;
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };

  alive();
  try {
    const response = await api.bytes(options.path, { signal, headers, cache: 'no-store' });
    const parser = createParser({ onEvent: options.onEvent });
    const decoder = new TextDecoder();
    // The reply of an event stream always has a body.
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      alive();
      options.onPart();
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}
