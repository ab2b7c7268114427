import type { ImageJob } from '../../lib/contract/resources/job.ts';
import { followJob } from '../client/jobs.ts';
import type { Service } from '../client/service.ts';
import type { CommandIo } from './command-io.ts';
import { reportJob } from './print.ts';
import { startProgress } from './progress.ts';
import { type SaveOptions, saveImages } from './save-images.ts';

const INTERRUPTED = 130;

/** Waits for the end of a job, writes its images and resolves with the exit code. Ctrl+C cancels the job. */
export async function saveWhenEnded(
  service: Service,
  id: string,
  options: SaveOptions,
  io: CommandIo,
): Promise<number> {
  const ended = await untilEnded(service, id, options, io);
  if (!ended) return INTERRUPTED;
  if (ended.status !== 'succeeded') return reportJob(ended, io);
  return saveImages(service, ended, options, io);
}

/** Waits for the end of the job. Resolves with the job, or with undefined if a signal cancelled the job. */
async function untilEnded(
  service: Service,
  id: string,
  { quiet }: Pick<SaveOptions, 'quiet'>,
  io: CommandIo,
): Promise<ImageJob | undefined> {
  const stopping = new AbortController();
  void io.untilStopped().then(() => stopping.abort());
  const progress = startProgress({ isQuiet: quiet }, io);
  try {
    return await followJob(service, id, progress.onEvent, stopping.signal).finally(progress.end);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    const path = `/v1/jobs/${encodeURIComponent(id)}`;
    const job = await service.json<ImageJob>(path, { method: 'DELETE' });
    // The job ended before the signal could cancel it. Images that were made and possibly charged are kept.
    if (job.status === 'succeeded' || job.status === 'failed') return job;
    io.stderr('image-bridge: the job was cancelled\n');
    return undefined;
  }
}
