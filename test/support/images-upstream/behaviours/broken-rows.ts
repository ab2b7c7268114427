import { behaviour } from './behaviour.ts';
import { defaultBody, succeed } from './default-reply.ts';

const INSIDE_THE_IMAGE = 0.5;

/** Replies that break off or stop sending. */
export const BROKEN_ROWS = [
  behaviour('cut=before-headers', 'the connection closes without a reply', (inFlight) =>
    inFlight.cut('close'),
  ),
  behaviour('reset=before-headers', 'the connection is reset without a reply', (inFlight) =>
    inFlight.cut('reset'),
  ),
  behaviour('cut=after-headers', 'the connection closes after the head', async (inFlight) => {
    await inFlight.replyPart(await defaultBody(inFlight), 0);
    await inFlight.cut('close');
  }),
  behaviour('cut=body', 'the connection closes inside the image', async (inFlight) => {
    await inFlight.replyPart(await defaultBody(inFlight), INSIDE_THE_IMAGE);
    await inFlight.cut('close');
  }),
  behaviour('reset=body', 'the connection is reset inside the image', async (inFlight) => {
    await inFlight.replyPart(await defaultBody(inFlight), INSIDE_THE_IMAGE);
    await inFlight.cut('reset');
  }),
  behaviour('cut=end', 'the connection closes before the last bytes', async (inFlight) => {
    await inFlight.replyPart(await defaultBody(inFlight), 0.9999);
    await inFlight.cut('close');
  }),
  behaviour('silence=before-headers', 'nothing at all for a while', async (inFlight) => {
    await inFlight.silence();
    await succeed(inFlight);
  }),
  behaviour('silence=body', 'nothing for a while inside the image', async (inFlight) => {
    await inFlight.replyPart(await defaultBody(inFlight), INSIDE_THE_IMAGE);
    await inFlight.silence();
    await inFlight.cut('close');
  }),
  behaviour('not-http', 'bytes that are no HTTP', async (inFlight) => {
    inFlight.socket().write('no HTTP at all\r\n\r\n');
    await inFlight.cut('close');
  }),
] as const;
