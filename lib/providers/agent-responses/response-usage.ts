import type { Usage } from '../../contract/reply/image-response.ts';
import type { BackendResponse } from './backend-event.ts';

// The form of the backend's own names; other names are not passed on.
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** What a completed call cost (providers.md, "Models"); undefined where the backend does not say. */
export function toUsage({ usage, tool_usage: tools }: BackendResponse): Usage | undefined {
  const { input_tokens, output_tokens, total_tokens } = usage ?? {};
  const provider = Object.entries(tools?.image_gen ?? {}).filter(
    (entry): entry is [string, number] => NAME.test(entry[0]) && Number.isFinite(entry[1]),
  );
  const found: Usage = {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(total_tokens === undefined ? {} : { total_tokens }),
    ...(provider.length > 0 ? { provider: Object.fromEntries(provider) } : {}),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}
