import type { ByteSink } from '../../upstream/byte-sink.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import { behaviour, imageReply } from './behaviour.ts';

const FLOOD_BYTES = 200_000_000;
const FLOOD_PART = Buffer.alloc(1_000_000, 'A');

/** Replies that break off, and slow replies. */
export const BROKEN_ROWS = [
  behaviour('silence=before-headers', 'nothing at all for a while', async (inFlight) => {
    await inFlight.silence();
    await inFlight.reply(200, await imageReply(inFlight));
  }),
  half('silence=body', 'nothing more in the middle of the image', (inFlight) => inFlight.silence()),
  half('truncated', 'the reply ends in the middle of the image', (_inFlight, sink) => sink.end()),
  half('cut=body', 'the connection closes in the middle of the image', (inFlight) =>
    inFlight.cut('close'),
  ),
  behaviour('close=before-headers', 'closes without a reply', (inFlight) => inFlight.cut('close')),
  behaviour('reset=before-headers', 'resets without a reply', (inFlight) => inFlight.cut('reset')),
  behaviour('garbage=http', 'bytes that are not even HTTP', async (inFlight) => {
    inFlight.socket().write('this is no reply\r\n\r\n');
    await inFlight.cut('close');
  }),
  behaviour('flood', `an image of ${FLOOD_BYTES} bytes`, async (inFlight) => {
    const flood = Array.from({ length: FLOOD_BYTES / FLOOD_PART.length }, () => FLOOD_PART);
    await inFlight.replyBytes(200, Buffer.concat([Buffer.from('{"candidates":[{"a":"'), ...flood]));
  }),
] as const;

/** Sends half of the usual reply, and then something else. */
function half<const Name extends string>(
  name: Name,
  about: string,
  then: (inFlight: CallInFlight, sink: ByteSink) => Promise<void>,
) {
  return behaviour(name, about, async (inFlight) => {
    const sink = await inFlight.replyHalf(200, await imageReply(inFlight));
    await then(inFlight, sink);
  });
}
