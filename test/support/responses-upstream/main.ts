import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Call } from './calls.ts';
import { type Command, listing, parseCommand, type Run, USAGE } from './command-line.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';
import { holdsForeignLogin } from './write-login.ts';

await main(parseCommand(process.argv.slice(2)));

async function main(command: Command): Promise<void> {
  if (command.kind === 'help') print(USAGE);
  else if (command.kind === 'list') print(listing());
  else if (command.kind === 'wrong') fail(`${command.what}\n\n${USAGE}`);
  else await run(command);
}

async function run({ options, home: named, behaviour }: Run): Promise<void> {
  const home = named ? resolve(named) : await mkdtemp(join(tmpdir(), 'emulated-login-'));
  if (await holdsForeignLogin(home)) {
    fail(`${home} holds an auth.json that is not the emulator's: name another folder.\n`);
    return;
  }
  const upstream = await createResponsesUpstream({ ...options, keepsBodies: false, onEnd: notify });
  upstream.setDefaultBehaviour(behaviour);
  await upstream.writeLogin(home);
  print(instructions(upstream, home));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void upstream.close());
  }
}

/** Prints one line for each call that has ended, without any content of the request. */
function notify({ number, outcome, behaviour = '-', refusal, tookMs = 0 }: Call): void {
  const why = refusal ? ` ${refusal.status} ${refusal.code} ${refusal.param ?? ''}` : '';
  print(`call ${number + 1}: ${behaviour}, ${outcome}${why}, ${Math.round(tookMs)} ms\n`);
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

function print(text: string): void {
  process.stdout.write(text);
}

function fail(text: string): void {
  process.stderr.write(text);
  process.exitCode = 2;
}
