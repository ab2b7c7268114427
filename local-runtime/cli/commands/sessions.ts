import type { SessionBinding } from '../../../lib/contract/resources/session.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson } from '../print.ts';
import { withService } from '../with-service.ts';

type SessionCall<Options = unknown> = Call<
  { readonly key: string },
  ServiceOption & Options & { readonly provider: string | undefined }
>;

/** Runs `image-bridge sessions show`. Resolves with the exit code. */
export function runSessionsShow(call: SessionCall<JsonOption>): Promise<number> {
  return withService(call, async (service) => {
    const binding = await service.json<SessionBinding>(pathOf(call));
    if (call.options.json) printJson(binding, call.io);
    else printFields(binding, call.io);
    return 0;
  });
}

/** Runs `image-bridge sessions delete`. Resolves with the exit code. */
export function runSessionsDelete(call: SessionCall): Promise<number> {
  return withService(call, async (service) => {
    await service.reply(pathOf(call), { method: 'DELETE' });
    return 0;
  });
}

function pathOf({ args: { key }, options: { provider } }: SessionCall): string {
  return `/v1/sessions/${encodeURIComponent(key)}${toQuery({ provider })}`;
}
