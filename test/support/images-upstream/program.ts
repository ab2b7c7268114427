import { runCommand } from '../emulator/command.ts';
import { OF_CALLS, present } from '../emulator/print.ts';
import { listing, parseCommand, type Run, USAGE } from './command-line.ts';
import { createImagesUpstream, type ImagesUpstream } from './images-upstream.ts';

export function run(words: readonly string[]): Promise<void> {
  return runCommand(parseCommand(words), { usage: USAGE, listing, serve });
}

async function serve({ options, behaviour }: Run): Promise<void> {
  const upstream = await createImagesUpstream({ ...options, ...OF_CALLS });
  present(upstream, behaviour, instructions(upstream));
}

function instructions(upstream: ImagesUpstream): string {
  const { dialect, baseUrl, models } = upstream;
  const key = upstream.key();
  return `The emulator is listening. The bridge's configuration for it:

default_provider = "emulated"

[providers.openai_images.emulated]
${settingsOf(upstream)
  .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
  .join('')}
${key === undefined ? 'It takes no key.' : `with the key in the environment:\n\n  export EMULATED_KEY=${key}`}

A first call without the bridge:

  curl ${baseUrl}${dialect === 'azure' ? '/openai/v1' : ''}/images/generations \\
    -H 'content-type: application/json' ${key === undefined ? '' : header(dialect, key)}\\
    -d '{"model": ${JSON.stringify(models[0])}, "prompt": "A cup"}'

A prompt with [[fail:status=429]] gets that reply; with [[fail:status=503;succeed]] the first
call fails and the next ones succeed. "npm run emulator -- openai --list" prints all names.

`;
}

function settingsOf({ dialect, baseUrl, models, key }: ImagesUpstream) {
  const isOpenAi = dialect === 'openai';
  return [
    ...(isOpenAi ? [] : [['dialect', dialect] as const]),
    ['base_url', baseUrl] as const,
    ...(key() === undefined ? [] : [['api_key_env', 'EMULATED_KEY'] as const]),
    ...(isOpenAi
      ? []
      : ([
          ['models', models.slice(0, 1)],
          ['image_model', models[0]],
        ] as const)),
  ] as const;
}

function header(dialect: string, key: string): string {
  return dialect === 'azure' ? `-H 'api-key: ${key}' ` : `-H 'authorization: Bearer ${key}' `;
}
