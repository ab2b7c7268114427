import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Api } from './api.ts';

interface Options {
  readonly path: string;
  /** Sent as Last-Event-ID, so that the bridge continues behind it. */
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  onEvent(event: EventSourceMessage): void;
}

/** Heartbeats come every 15 s: a stream that is silent for longer is broken, though nothing has closed it. */
const SILENCE_MS = 40_000;

/**
 * Reads one server-sent event stream to its end. EventSource cannot send the bearer token, hence fetch. Resolves when
 * the bridge closes the stream; throws ApiError when it refuses it, and whatever broke the connection.
 */
export async function readEventStream(api: Api, options: Options): Promise<void> {
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  const { lastEventId } = options;
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  let timer: number | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };

  alive();
  try {
    const response = await api.bytes(options.path, { signal, headers, cache: 'no-store' });
    const parser = createParser({ onEvent: options.onEvent });
    const decoder = new TextDecoder();
    // An event stream reply always has a body.
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      alive();
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}
