import { runCommand } from '../emulator/command.ts';
import { OF_CALLS, present } from '../emulator/print.ts';
import { listing, parseCommand, type Run, USAGE } from './command-line.ts';
import { createGeminiUpstream, type GeminiUpstream } from './gemini-upstream.ts';

export function run(words: readonly string[]): Promise<void> {
  return runCommand(parseCommand(words), { usage: USAGE, listing, serve });
}

async function serve({ options, behaviour }: Run): Promise<void> {
  const upstream = await createGeminiUpstream({ ...options, ...OF_CALLS });
  present(upstream, behaviour, instructions(upstream));
}

function instructions({ url, key }: GeminiUpstream): string {
  return `The emulator is listening. The bridge's configuration for it:

default_provider = "gemini"

[providers.gemini.gemini]
base_url = ${JSON.stringify(url)}
api_key_env = "GEMINI_API_KEY"

or, for one run:

  GEMINI_API_KEY=${key} image-bridge serve \\
    --set default_provider=gemini \\
    --set providers.gemini.gemini.base_url=${url} \\
    --set providers.gemini.gemini.api_key_env=GEMINI_API_KEY

A prompt with [[fail:status=429]] gets that reply; with [[fail:status=503;succeed]] the first
call fails and the next ones succeed. "npm run emulator -- gemini --list" prints all names.

`;
}
