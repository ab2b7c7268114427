import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from '../emulator/command.ts';
import { fail, OF_CALLS, present } from '../emulator/print.ts';
import { listing, parseCommand, type Run, USAGE } from './command-line.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';
import { holdsForeignLogin } from './write-login.ts';

export function run(words: readonly string[]): Promise<void> {
  return runCommand(parseCommand(words), { usage: USAGE, listing, serve });
}

async function serve({ options, home: named, behaviour }: Run): Promise<void> {
  const home = named ? resolve(named) : await mkdtemp(join(tmpdir(), 'emulated-login-'));
  if (await holdsForeignLogin(home)) {
    fail(`${home} holds an auth.json that is not the emulator's: name another folder.\n`);
    return;
  }
  const upstream = await createResponsesUpstream({ ...options, ...OF_CALLS });
  await upstream.writeLogin(home);
  present(upstream, behaviour, instructions(upstream, home));
}

function instructions({ url, tokenUrl }: ResponsesUpstream, home: string): string {
  return `The emulator is listening. The bridge's configuration for it:

[providers.agent_responses]
endpoint = ${JSON.stringify(url)}
token_endpoint = ${JSON.stringify(tokenUrl)}
home = ${JSON.stringify(home)}

or, for one run:

  image-bridge serve \\
    --set providers.agent_responses.endpoint=${url} \\
    --set providers.agent_responses.token_endpoint=${tokenUrl} \\
    --set providers.agent_responses.home=${home}

A prompt with [[fail:status=429]] gets that reply; with [[fail:status=503;succeed]] the first
call fails and the next ones succeed. "npm run emulator -- --list" prints all names.

`;
}
