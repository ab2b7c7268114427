import { resolve } from 'node:path';
import type { Preset } from '../../../lib/contract/resources/preset.ts';
import { toQuery } from '../../client/service.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { LimitOption, ServiceOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { toDate } from '../print.ts';
import { asTable, itemsAt, type ShowOptions, showReply } from '../show-reply.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

type PresetCall<Options> = Call<{ readonly name: string }, Options>;

const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** Runs `image-bridge presets list`. Resolves with the exit code. */
export function runPresetsList(call: Call<unknown, ShowOptions & LimitOption>): Promise<number> {
  const { limit } = call.options;
  const items = itemsAt<Preset>(`/v1/presets${toQuery({ limit })}`);
  return showReply(call, items, asTable(['NAME', 'UPDATED', 'DESCRIPTION'], toRow));
}

function toRow({ name, updated, description = '' }: Preset): readonly string[] {
  return [name, toDate(updated), description];
}

/** Runs `image-bridge presets show`. Resolves with the exit code. */
export function runPresetsShow(call: PresetCall<ShowOptions>): Promise<number> {
  return showReply(call, (service) => service.json<Preset>(pathOf(call.args.name)));
}

/** Runs `image-bridge presets save`, which replaces or creates a preset. Resolves with the exit code. */
export function runPresetsSave({
  args,
  options,
  io,
}: Call<
  { readonly name: string; readonly file: string },
  ServiceOption & { readonly description: string | undefined }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const template = await readTemplate(resolve(io.cwd, args.file), args.file);
    const { description } = options;
    const body = { template, ...(description === undefined ? {} : { description }) };
    try {
      await service.json(pathOf(args.name), { method: 'PUT', body });
      io.stdout(`Replaced ${args.name}.\n`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
      await service.json('/v1/presets', { method: 'POST', body: { name: args.name, ...body } });
      io.stdout(`Created ${args.name}.\n`);
    }
    return 0;
  });
}

/** Runs `image-bridge presets delete`. Resolves with the exit code. */
export function runPresetsDelete(call: PresetCall<ServiceOption>): Promise<number> {
  return withService(call, async (service) => {
    await service.reply(pathOf(call.args.name), { method: 'DELETE' });
    return 0;
  });
}

async function readTemplate(path: string, name: string): Promise<unknown> {
  const bytes = await readWholeFile(path, MAX_TEMPLATE_BYTES);
  if (typeof bytes === 'string') throw new ServiceError(`${printable(name)} ${bytes}`, 1);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ServiceError(`${printable(name)} is not valid JSON`, 1);
  }
}

function pathOf(name: string): string {
  return `/v1/presets/${encodeURIComponent(name)}`;
}
