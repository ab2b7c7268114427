import { fail, print } from './print.ts';

interface Program {
  /** Runs the program with the words after its name. A server runs until a signal ends the program. */
  run(words: readonly string[]): Promise<void>;
}

/** The emulators, by the word that selects them. */
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  agent: () => import('../responses-upstream/program.ts'),
  openai: () => import('../images-upstream/program.ts'),
  gemini: () => import('../gemini-upstream/program.ts'),
};

const OVERVIEW = `Emulators of providers, for trying the bridge without an account.

  npm run emulator                        the Responses backend, with a made-up login
  npm run emulator -- NAME --help         the options of one of them

NAME is one of: ${Object.keys(PROGRAMS).join(', ')}
`;

await main(process.argv.slice(2));

/** Without the name of an emulator, all words belong to the first emulator. */
async function main(words: readonly string[]): Promise<void> {
  const [name = 'agent', ...others] = words;
  if (name === '--help') return print(OVERVIEW);
  if (name.startsWith('-')) return start('agent', words);
  return start(name, others);
}

async function start(name: string, words: readonly string[]): Promise<void> {
  const load = PROGRAMS[name];
  if (!load) return fail(`${name}: no emulator has this name\n\n${OVERVIEW}`);
  await (await load()).run(words);
}
