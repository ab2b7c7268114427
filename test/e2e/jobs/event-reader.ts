import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEventText, type TextEvent } from '../../support/event-text.ts';

export type EventReader = Awaited<ReturnType<typeof openEvents>>;

/** Opens an event stream of a started bridge and reads it as it arrives, until it ends or until `disconnect`. */
export async function openEvents(url: string, headers: Readonly<Record<string, string>> = {}) {
  const outgoing = request(url, { headers, agent: false });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end();
  });
  let text = '';
  let end: 'open' | 'complete' | 'broken' = 'open';
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  incoming.on('error', () => {});
  incoming.on('close', () => {
    end = incoming.complete ? 'complete' : 'broken';
  });

  const parsed = () => parseEventText(text.slice(0, text.lastIndexOf('\n\n') + 2));
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Readonly<Record<string, string | undefined>>,
    text: () => text,
    events: (): readonly TextEvent[] => parsed().events,
    /** Id with which to resume. */
    lastId: () => parsed().lastId,
    /** End of the reply, if it has ended: with its last chunk, or only by the end of the connection. */
    end: () => end,
    async until(isSo: (events: readonly TextEvent[]) => boolean): Promise<void> {
      while (!isSo(parsed().events)) await delay(5);
    },
    async untilEnded(): Promise<void> {
      while (end === 'open') await delay(5);
    },
    disconnect: () => void outgoing.destroy(),
  };
}
