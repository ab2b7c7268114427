import { runProgram } from './start-bridge.ts';

/** The setting of the file to which `addToken` adds tokens. */
export const TOKENS = 'server.tokens_file=tokens.toml';

/** Adds a token with these options to the file of tokens in a folder. Resolves with the text of the token. */
export async function addToken(cwd: string, name: string, ...options: string[]): Promise<string> {
  const { stdout } = await runProgram(['tokens', 'add', name, ...options, '--set', TOKENS], cwd);
  return stdout.trim();
}
