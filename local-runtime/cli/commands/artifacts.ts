import { resolve } from 'node:path';
import type { ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import type { Page } from '../../../lib/contract/schema/page.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { toQuery } from '../../client/service.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { fileReason } from '../files.ts';
import { printFields, printJson, printTable } from '../print.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

type ArtifactCall<Options> = Call<{ readonly id: string }, ServiceOption & Options>;

/** Runs `image-bridge artifacts list`, which lists the artifacts of the newest jobs. Resolves with the exit code. */
export function runArtifactsList({
  options,
  io,
}: Call<
  unknown,
  ServiceOption & JsonOption & { readonly limit: number | undefined }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const query = toQuery({ limit: options.limit, status: 'succeeded' });
    const { items } = await service.json<Page<ImageJobSummary>>(`/v1/jobs${query}`);
    const artifacts = items.flatMap((job) =>
      job.artifacts.map((artifact) => ({ ...artifact, job: job.id, prompt: job.prompt })),
    );
    const rows = artifacts.map(({ id, width, height, format, bytes, job }) => {
      return [id, `${width}x${height}`, format, String(bytes), job];
    });
    if (options.json) printJson(artifacts, io);
    else printTable(['ID', 'SIZE', 'FORMAT', 'BYTES', 'JOB'], rows, io);
    return 0;
  });
}

/** Runs `image-bridge artifacts show`. Resolves with the exit code. */
export function runArtifactsShow({ args, options, io }: ArtifactCall<JsonOption>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const { headers } = await service.reply(pathOf(args.id), { method: 'HEAD' });
    const facts = {
      id: args.id,
      type: headers.get('content-type'),
      bytes: Number(headers.get('content-length')),
      sha256: headers.get('etag')?.replaceAll('"', ''),
      name: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    };
    if (options.json) printJson(facts, io);
    else printFields(facts, io);
    return 0;
  });
}

/** Runs `image-bridge artifacts get`. Resolves with the exit code. */
export function runArtifactsGet({
  args,
  options,
  io,
}: ArtifactCall<{ readonly output: string; readonly force: boolean }>): Promise<number> {
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
