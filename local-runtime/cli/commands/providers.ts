import type {
  CapabilityDocument,
  ProviderDescriptor,
} from '../../../lib/contract/resources/provider.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import { asTable, itemsAt, type ShowOptions, showReply } from '../show-reply.ts';

// Higher than the number of providers of any bridge.
const LIMIT = 100;

/** Runs `image-bridge providers list`. Resolves with the exit code. */
export function runProvidersList(call: Call<unknown, ShowOptions>): Promise<number> {
  const items = itemsAt<ProviderDescriptor>(`/v1/providers${toQuery({ limit: LIMIT })}`);
  return showReply(call, items, asTable(['NAME', 'DEFAULT', 'MODELS'], toRow));
}

function toRow(provider: ProviderDescriptor): readonly string[] {
  return [provider.name, provider.default ? 'yes' : '', provider.models.join(' ')];
}

/** Runs `image-bridge providers show`. Resolves with the exit code. */
export function runProvidersShow(
  call: Call<{ readonly name: string }, ShowOptions & { readonly model: string | undefined }>,
): Promise<number> {
  const { args, options } = call;
  const query = toQuery({ model: options.model });
  const path = `/v1/providers/${encodeURIComponent(args.name)}/capabilities${query}`;
  return showReply(call, (service) => service.json<CapabilityDocument>(path));
}
