import { loadConfig } from '../../../lib/config/load-config.ts';
import { problemLine } from '../../../lib/config/problem.ts';
import type { ResolvedConfig } from '../../../lib/config/resolve-config.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  type JsonOption,
  toLoadOptions,
} from '../command-table/options.ts';
import { bad, type Examined, type Finding, good, warning } from '../doctor/finding.ts';
import { checkClock, checkImageFormats } from '../doctor/machine-checks.ts';
import { checkBubblewrap, checkProviders } from '../doctor/provider-checks.ts';
import {
  checkActivationLock,
  checkBearer,
  checkCredentials,
  checkPort,
  checkPrices,
  checkTokens,
  checkWebhooks,
} from '../doctor/service-checks.ts';
import {
  checkArtifacts,
  checkBucket,
  checkDatabase,
  checkFolders,
  checkStateLock,
} from '../doctor/storage-checks.ts';
import { printJson } from '../print.ts';
import { styled } from '../terminal.ts';

type Found = Finding | readonly Finding[];

type Check = (examined: Examined) => Found | Promise<Found>;

const CHECKS: readonly Check[] = [
  checkFolders,
  checkDatabase,
  checkBucket,
  checkArtifacts,
  checkStateLock,
  checkActivationLock,
  checkPort,
  checkBearer,
  checkTokens,
  checkPrices,
  checkWebhooks,
  checkCredentials,
  checkProviders,
  checkBubblewrap,
  checkImageFormats,
  checkClock,
];

const COLORS = { good: 'green', warning: 'yellow', bad: 'red' } as const;

/** Runs all checks and prints their results. Resolves with the exit code: 1 if a check failed. */
export async function runDoctor({
  options,
  io,
}: Call<unknown, ConfigurationOptions & JsonOption>): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  const findings = [...configurationFindings(loaded), ...(await examine(loaded, io))];
  const isGood = findings.every(({ level }) => level !== 'bad');
  if (options.json) printJson({ ok: isGood, checks: findings }, io);
  else io.stdout(toText(findings, io));
  return isGood ? 0 : 1;
}

function configurationFindings(loaded: ResolvedConfig): readonly Finding[] {
  const check = 'configuration';
  const advice = 'See: image-bridge config check';
  const warnings = loaded.warnings.map(({ field, message }) =>
    warning(check, `${field} ${message}`, 'Change the setting unless this is intended.'),
  );
  if (!loaded.ok) return loaded.errors.map((error) => bad(check, problemLine(error), advice));
  return warnings.length > 0 ? warnings : [good(check, 'valid')];
}

/** Runs all checks. Runs no check if the configuration is invalid. */
async function examine(loaded: ResolvedConfig, { env }: CommandIo): Promise<readonly Finding[]> {
  if (!loaded.ok) return [];
  const { signal } = new AbortController();
  const examined = { config: loaded.config, env, clock: systemClock, signal };
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...[await check(examined)].flat());
  return findings;
}

function toText(findings: readonly Finding[], io: CommandIo): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const count = (level: Finding['level']) => findings.filter((it) => it.level === level).length;
  const lines = findings.flatMap(({ check, level, message, advice }) => [
    `${styled(COLORS[level], level.padEnd('warning'.length), 'stdout', io)}  ${check.padEnd(width)}  ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(7)}  ${' '.repeat(width)}  → ${advice}`]),
  ]);
  const sum = `good: ${count('good')}, warnings: ${count('warning')}, bad: ${count('bad')}`;
  return `${[...lines, sum].join('\n')}\n`;
}
