import { resolve } from 'node:path';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { type Problem, problemLine, reasonOf, warningLine } from '../../../lib/config/problem.ts';
import type { ResolvedConfig } from '../../../lib/config/resolve-config.ts';
import { toToml } from '../../../lib/config/sources/toml.ts';
import { toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { readPrices } from '../../../lib/prices/price-rows.ts';
import { checkSigning } from '../../../lib/provenance/check-signing.ts';
import {
  CERTIFICATE_FILE,
  KEY_FILE,
  TRUST_ANCHORS_FILE,
} from '../../../lib/provenance/signing-files.ts';
import { readSealKey } from '../../../lib/providers/credentials/login-seal.ts';
import { readTokens } from '../../../lib/tokens/token-file.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  type JsonOption,
  toLoadOptions,
} from '../command-table/options.ts';
import { printJson } from '../print.ts';

type Loaded = Extract<ResolvedConfig, { ok: true }>;
type ConfigCall = Call<unknown, ConfigurationOptions & JsonOption>;

export async function runConfigCheck({ options, io }: ConfigCall): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  const checked = loaded.ok ? await withNamedFiles(loaded, io) : loaded;
  const { ok, warnings } = checked;
  const errors = ok ? [] : checked.errors;
  if (options.json) printJson({ ok, errors, warnings }, io);
  else io.stdout(checkText(checked));
  return ok ? 0 : 2;
}

/** Adds the problems and warnings of the files that a start of the service reads. */
async function withNamedFiles(loaded: Loaded, io: CommandIo): Promise<ResolvedConfig> {
  const { runtime, server } = loaded.config;
  const signing = await signingFindings(loaded, io);
  const errors = [
    ...problemsOf('runtime.prices_file', runtime.prices_file, readPrices, io),
    ...problemsOf('server.tokens_file', server.tokens_file, readTokens, io),
    ...sealKeyProblems(loaded, io),
    ...signing.errors,
  ];
  const warnings = [...loaded.warnings, ...signing.warnings];
  return errors.length === 0 ? { ...loaded, warnings } : { ok: false, errors, warnings };
}

/** Reads the key that encrypts the login in the database. */
function sealKeyProblems({ config }: Loaded, { env }: CommandIo): readonly Problem[] {
  const { state, providers } = config;
  const { enabled, credentials } = providers.agent_responses;
  if (!enabled || credentials === 'file') return [];
  try {
    readSealKey(state, env);
    return [];
  } catch (error) {
    const source = `environment variable ${state.seal_key_env}`;
    return [{ field: 'state.seal_key_env', source, message: reasonOf(error) }];
  }
}

/** Signs a small image with the certificates of `provenance`. The key is read, but is never part of a message. */
async function signingFindings({ config }: Loaded, { cwd }: CommandIo) {
  const { signing, trust_anchors_file, ...rest } = config.provenance;
  const inFolder = (path: string | undefined) => (path === undefined ? path : resolve(cwd, path));
  const provenance = {
    ...rest,
    trust_anchors_file: inFolder(trust_anchors_file),
    signing: {
      ...signing,
      certificate_file: inFolder(signing.certificate_file),
      key_file: inFolder(signing.key_file),
    },
  };
  try {
    const { warning } = await checkSigning({ ...config, provenance }, systemClock);
    const warnings = warning === undefined ? [] : [{ field: CERTIFICATE_FILE, message: warning }];
    return { errors: [], warnings };
  } catch (error) {
    const [field = ''] = toBridgeError(error).message.split(':');
    const files = new Map([
      [TRUST_ANCHORS_FILE, trust_anchors_file],
      [CERTIFICATE_FILE, signing.certificate_file],
      [KEY_FILE, signing.key_file],
    ]);
    const source = files.get(field) ?? signing.certificate_file ?? field;
    return { errors: [{ field, source, message: reasonOf(error) }], warnings: [] };
  }
}

function problemsOf(
  field: string,
  path: string | undefined,
  read: (path: string) => unknown,
  { cwd }: CommandIo,
): readonly Problem[] {
  if (path === undefined) return [];
  try {
    read(resolve(cwd, path));
    return [];
  } catch (error) {
    return [{ field, source: path, message: reasonOf(error) }];
  }
}

export function runConfigShow(call: ConfigCall): Promise<number> {
  return print(call, ({ config }) => [config, toToml(config)]);
}

export function runConfigOrigins(call: ConfigCall): Promise<number> {
  return print(call, ({ origins }) => [
    origins,
    lines(origins.map(({ field, source }) => `${field} ${source}`)),
  ]);
}

/** Loads the configuration and prints a part of it, as JSON with `--json` and as text without it. */
async function print(
  { options, io }: ConfigCall,
  toForms: (loaded: Loaded) => readonly [json: object, text: string],
): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) {
    io.stderr(checkText(loaded));
    return 2;
  }
  const [json, text] = toForms(loaded);
  if (options.json) printJson(json, io);
  else io.stdout(text);
  return 0;
}

function checkText(loaded: ResolvedConfig): string {
  return lines([
    ...(loaded.ok ? [] : loaded.errors.map(problemLine)),
    ...loaded.warnings.map(warningLine),
    ...(loaded.ok ? ['The configuration is valid.'] : []),
  ]);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
