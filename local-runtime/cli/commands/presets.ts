import { resolve } from 'node:path';
import { ServiceError } from '../../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { ServiceOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** Replaces a preset, or creates the preset if no preset has the name. Resolves with the exit code. */
export function runPresetsSave({
  args: { name, file },
  options,
  io,
}: Call<
  { readonly name: string; readonly file: string },
  ServiceOption & {
    readonly title: string | undefined;
    readonly description: string | undefined;
  }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const template = await readTemplate(resolve(io.cwd, file), printable(file));
    const body = { template, title: options.title, description: options.description };
    try {
      await service.json(`/v1/presets/${encodeURIComponent(name)}`, { method: 'PUT', body });
      io.stdout(`Replaced ${name}.\n`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
      await service.json('/v1/presets', { method: 'POST', body: { name, ...body } });
      io.stdout(`Created ${name}.\n`);
    }
    return 0;
  });
}

async function readTemplate(path: string, name: string): Promise<unknown> {
  const bytes = await readWholeFile(path, MAX_TEMPLATE_BYTES);
  if (typeof bytes === 'string') throw new ServiceError(`${name} ${bytes}`, 1);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ServiceError(`${name} is not valid JSON`, 1);
  }
}
