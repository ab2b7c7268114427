import type { ImageJob } from '../../contract/resources/job.ts';
import type { JobEvent } from '../../contract/resources/job-events.ts';
import { isTerminal } from '../job-state.ts';
import type { JobNotice, JobProgressEvent } from './job-notices.ts';
import type { StreamReader } from './stream-readers.ts';

/** What has happened in one job since its reader looked: of each output the latest progress and the latest image. */
export function createJobNews(id: string) {
  const news = new Map<string, JobProgressEvent>();
  let hasEnded = false;
  return {
    /** Whether there is something new. */
    note(notice: JobNotice): boolean {
      if (notice.type === 'ended' && notice.id === id) hasEnded = true;
      else if (notice.type === 'happened' && notice.id === id) {
        const { type, index } = notice.event;
        const subject = `${type} ${index}`;
        // Behind what came before it: events are read in the order in which they happened.
        news.delete(subject);
        news.set(subject, notice.event);
      } else return false;
      return true;
    },
    next(): JobProgressEvent | undefined {
      for (const [subject, event] of news) {
        news.delete(subject);
        return event;
      }
      return undefined;
    },
    hasEnded: () => hasEnded,
  };
}

/** The events of one job, from how it is to its end. Ends without an end where this process will not see one. */
export async function* jobStream(
  first: ImageJob,
  read: () => Promise<ImageJob>,
  news: Pick<ReturnType<typeof createJobNews>, 'next' | 'hasEnded'>,
  reader: StreamReader,
): AsyncGenerator<JobEvent> {
  try {
    yield { type: 'snapshot', job: first };
    if (isTerminal(first.status)) {
      yield { type: 'ended', job: first };
      return;
    }
    for (;;) {
      const event = news.next();
      if (event) yield event;
      else if (news.hasEnded()) {
        const job = await read();
        // A process that stops may have ended its work without ending the job.
        if (isTerminal(job.status)) yield { type: 'ended', job };
        return;
      } else if (reader.isOver()) return;
      else await reader.wait();
    }
  } finally {
    reader.close();
  }
}
