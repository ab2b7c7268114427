import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshFolder, type StartedBridge } from '../../support/start-bridge.ts';
import { startDashboard } from './dashboard.ts';

const PRICES = `
[[price]]
provider = "agent-responses"
model = "gpt-image-2"
per = "image"
amount = "0.04"
currency = "USD"
`;

/** Starts a bridge with the agent's login, a price for one of its models, and a tokens file with this content. */
export async function startPricedDashboard(tokens: string): Promise<StartedBridge> {
  const cwd = await freshFolder();
  await writeFile(join(cwd, 'prices.toml'), PRICES, { mode: 0o600 });
  await writeFile(join(cwd, 'tokens.toml'), tokens, { mode: 0o600 });
  return startDashboard({
    cwd,
    withAgent: true,
    set: ['server.tokens_file=tokens.toml', 'runtime.prices_file=prices.toml'],
  });
}
