import type { SessionBinding } from '../../lib/contract/resources/session.ts';
import { printFields, printJson } from '../client/print.ts';
import { toQuery } from '../client/query.ts';
import { withService } from '../client/with-service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';

type SessionCall<Options = unknown> = Call<
  { readonly key: string },
  ServiceOption & Options & { readonly provider: string | undefined }
>;

/** `image-bridge sessions show`. Resolves to the exit code. */
export function runSessionsShow(call: SessionCall<JsonOption>): Promise<number> {
  return withService(call, async (service) => {
    const binding = await service.json<SessionBinding>(pathOf(call));
    if (call.options.json) printJson(binding, call.io);
    else printFields(binding, call.io);
    return 0;
  });
}

/** `image-bridge sessions delete`. Resolves to the exit code. */
export function runSessionsDelete(call: SessionCall): Promise<number> {
  return withService(call, async (service) => {
    await service.reply(pathOf(call), { method: 'DELETE' });
    return 0;
  });
}

function pathOf({ args: { key }, options: { provider } }: SessionCall): string {
  return `/v1/sessions/${encodeURIComponent(key)}${toQuery({ provider })}`;
}
