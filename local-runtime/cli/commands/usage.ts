import type { UsageReport } from '../../../lib/contract/resources/usage.ts';
import { toQuery } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import { printFields, printTable } from '../print.ts';
import { type ShowOptions, showReply } from '../show-reply.ts';

/** Runs `image-bridge usage`. Resolves with the exit code. */
export function runUsage(
  call: Call<unknown, ShowOptions & { readonly days: number | undefined }>,
): Promise<number> {
  const path = `/v1/usage${toQuery({ days: call.options.days })}`;
  return showReply(call, (service) => service.json<UsageReport>(path), printReport);
}

function printReport({ caller: { name, allowance }, items }: UsageReport, io: CommandIo): void {
  if (name !== undefined) printFields({ token: name }, io);
  if (allowance) printFields({ today: `${allowance.used} of ${allowance.images_per_day}` }, io);
  printTable(['DAY', 'IMAGES', 'FAILED', 'TOKENS', 'PROVIDERS'], items.map(toRow), io);
}

function toRow({ day, images, failed, tokens, by_provider }: UsageReport['items'][number]) {
  const providers = Object.entries(by_provider).map(([name, count]) => `${name} ${count.images}`);
  return [day, String(images), String(failed), String(tokens ?? ''), providers.join(', ')];
}
