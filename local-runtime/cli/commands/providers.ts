import type {
  CapabilityDocument,
  ProviderDescriptor,
} from '../../../lib/contract/resources/provider.ts';
import type { Page } from '../../../lib/contract/schema/page.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson, printTable } from '../print.ts';
import { withService } from '../with-service.ts';

// Above the number of providers of a bridge.
const LIMIT = 100;

/** Runs `image-bridge providers list`. Resolves with the exit code. */
export function runProvidersList({
  options,
  io,
}: Call<unknown, ServiceOption & JsonOption>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const path = `/v1/providers${toQuery({ limit: LIMIT })}`;
    const { items } = await service.json<Page<ProviderDescriptor>>(path);
    if (options.json) printJson(items, io);
    else printTable(['NAME', 'DEFAULT', 'MODELS'], items.map(toRow), io);
    return 0;
  });
}

function toRow(provider: ProviderDescriptor): readonly string[] {
  return [provider.name, provider.default ? 'yes' : '', provider.models.join(' ')];
}

/** Runs `image-bridge providers show`. Resolves with the exit code. */
export function runProvidersShow({
  args,
  options,
  io,
}: Call<
  { readonly name: string },
  ServiceOption & JsonOption & { readonly model: string | undefined }
>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const name = encodeURIComponent(args.name);
    const path = `/v1/providers/${name}/capabilities${toQuery({ model: options.model })}`;
    const document = await service.json<CapabilityDocument>(path);
    if (options.json) printJson(document, io);
    else printFields(document, io);
    return 0;
  });
}
