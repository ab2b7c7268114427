import type { SessionBinding } from '../../../lib/contract/resources/session.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { ServiceOption } from '../command-table/options.ts';
import { type ShowOptions, showReply } from '../show-reply.ts';
import { withService } from '../with-service.ts';

type SessionCall<Options> = Call<
  { readonly key: string },
  Options & { readonly provider: string | undefined }
>;

/** Runs `image-bridge sessions show`. Resolves with the exit code. */
export function runSessionsShow(call: SessionCall<ShowOptions>): Promise<number> {
  return showReply(call, (service) => service.json<SessionBinding>(pathOf(call)));
}

/** Runs `image-bridge sessions delete`. Resolves with the exit code. */
export function runSessionsDelete(call: SessionCall<ServiceOption>): Promise<number> {
  return withService(call, async (service) => {
    await service.reply(pathOf(call), { method: 'DELETE' });
    return 0;
  });
}

function pathOf({ args: { key }, options: { provider } }: SessionCall<unknown>): string {
  return `/v1/sessions/${encodeURIComponent(key)}${toQuery({ provider })}`;
}
