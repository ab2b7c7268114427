import { resolve } from 'node:path';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { ServiceOption } from '../command-table/options.ts';
import { fileReason } from '../files.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

/** Writes the verified bytes of an artifact to a file. Resolves with the exit code. */
export function runArtifactsGet({
  args: { id },
  options,
  io,
}: Call<
  { readonly id: string },
  ServiceOption & { readonly output: string; readonly force: boolean }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const { output, force: replaces } = options;
    const { bytes } = await service.content(`/v1/artifacts/${encodeURIComponent(id)}`);
    const shown = printable(output);
    const isSaved = await saveFile(resolve(io.cwd, output), bytes, { replaces }).catch((error) => {
      throw new ServiceError(`${shown} cannot be written: ${fileReason(error)}`, 1);
    });
    if (!isSaved)
      throw new ServiceError(`${shown} already exists; use --force to overwrite the file`, 1);
    io.stdout(`${shown}\n`);
    return 0;
  });
}
