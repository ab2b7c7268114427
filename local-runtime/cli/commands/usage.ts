import type { UsageReport } from '../../../lib/contract/resources/usage.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson, printTable } from '../print.ts';
import { withService } from '../with-service.ts';

/** Runs `image-bridge usage`. Resolves with the exit code. */
export function runUsage({
  options,
  io,
}: Call<
  unknown,
  ServiceOption & JsonOption & { readonly days: number | undefined }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const report = await service.json<UsageReport>(`/v1/usage${toQuery({ days: options.days })}`);
    if (options.json) {
      printJson(report, io);
      return 0;
    }
    const { name, allowance } = report.caller;
    if (name !== undefined) printFields({ token: name }, io);
    if (allowance) printFields({ today: `${allowance.used} of ${allowance.images_per_day}` }, io);
    printTable(['DAY', 'IMAGES', 'FAILED', 'TOKENS', 'PROVIDERS'], report.items.map(toRow), io);
    return 0;
  });
}

function toRow({ day, images, failed, tokens, by_provider }: UsageReport['items'][number]) {
  const providers = Object.entries(by_provider).map(([name, count]) => `${name} ${count.images}`);
  return [day, String(images), String(failed), String(tokens ?? ''), providers.join(', ')];
}
