import type { ArtifactCrop } from '../../../lib/contract/resources/artifact-crop.ts';
import { createJob } from '../../client/jobs.ts';
import type { Call } from '../command-table/command.ts';
import type { ImageOptions, JsonOption, ServiceOption } from '../command-table/options.ts';
import { findOutputMisuse, takenPath, toOutputPlace } from '../save-images.ts';
import { saveWhenEnded } from '../save-when-ended.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

/** Crops an artifact with a job of the service and writes the new image. Resolves with the exit code. */
export async function runImagesCrop({
  args: { id },
  options: { x, y, width, height, ...options },
  io,
}: Call<
  { readonly id: string },
  ArtifactCrop & Pick<ImageOptions, 'output' | 'force' | 'quiet'> & ServiceOption & JsonOption
>): Promise<number> {
  const fail = (message: string, exitCode: number) => {
    io.stderr(`image-bridge: ${message}\n`);
    return exitCode;
  };
  const misuse = findOutputMisuse(options, io);
  if (misuse !== undefined) return fail(misuse, 2);
  const place = toOutputPlace(options.output, io.cwd);
  if ((place.format ?? 'png') !== 'png') return fail('a crop is a PNG: use the extension .png', 2);
  const taken = options.force ? undefined : takenPath(place, 1);
  if (taken !== undefined) {
    return fail(`${printable(taken)} already exists; use --force to overwrite the file`, 1);
  }
  return withService({ options, io }, async (service) => {
    const area: ArtifactCrop = { x, y, width, height };
    const job = await createJob(service, `/v1/artifacts/${encodeURIComponent(id)}/crop`, {
      body: area,
    });
    return saveWhenEnded(service, job.id, { place, ...options }, io);
  });
}
