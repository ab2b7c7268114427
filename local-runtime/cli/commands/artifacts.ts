import { resolve } from 'node:path';
import type { ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { toQuery } from '../../client/service.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { LimitOption, ServiceOption } from '../command-table/options.ts';
import { fileReason } from '../files.ts';
import { asTable, itemsAt, type ShowOptions, showReply } from '../show-reply.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

type ArtifactCall<Options> = Call<{ readonly id: string }, Options>;

/** Runs `image-bridge artifacts list`, which lists the artifacts of the newest jobs. Resolves with the exit code. */
export function runArtifactsList(call: Call<unknown, ShowOptions & LimitOption>): Promise<number> {
  const query = toQuery({ limit: call.options.limit, status: 'succeeded' });
  const jobs = itemsAt<ImageJobSummary>(`/v1/jobs${query}`);
  return showReply(
    call,
    async (service) => (await jobs(service)).flatMap(artifactsOf),
    asTable(['ID', 'SIZE', 'FORMAT', 'BYTES', 'JOB'], toRow),
  );
}

function artifactsOf({ id: job, prompt, artifacts }: ImageJobSummary) {
  return artifacts.map((artifact) => ({ ...artifact, job, prompt }));
}

type Listed = ReturnType<typeof artifactsOf>[number];

function toRow({ id, width, height, format, bytes, job }: Listed): readonly string[] {
  return [id, `${width}x${height}`, format, String(bytes), job];
}

/** Runs `image-bridge artifacts show`. Resolves with the exit code. */
export function runArtifactsShow(call: ArtifactCall<ShowOptions>): Promise<number> {
  const { id } = call.args;
  return showReply(call, async (service) => {
    const { headers } = await service.reply(pathOf(id), { method: 'HEAD' });
    return {
      id,
      type: headers.get('content-type'),
      bytes: Number(headers.get('content-length')),
      sha256: headers.get('etag')?.replaceAll('"', ''),
      name: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    };
  });
}

/** Runs `image-bridge artifacts get`. Resolves with the exit code. */
export function runArtifactsGet({
  args,
  options,
  io,
}: ArtifactCall<
  ServiceOption & { readonly output: string; readonly force: boolean }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const { output, force: replaces } = options;
    const { bytes } = await service.content(pathOf(args.id));
    const shown = printable(output);
    const isSaved = await saveFile(resolve(io.cwd, output), bytes, { replaces }).catch((error) => {
      throw new ServiceError(`${shown} cannot be written: ${fileReason(error)}`, 1);
    });
    if (!isSaved) throw new ServiceError(`${shown} already exists; --force overwrites it`, 1);
    io.stdout(`${shown}\n`);
    return 0;
  });
}

function pathOf(id: string): string {
  return `/v1/artifacts/${encodeURIComponent(id)}`;
}
