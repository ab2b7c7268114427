import type { ArgumentRow, Command, OptionRow } from './command.ts';

/** The name of a command or of its group. */
export function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

/** The long flag of an option: `dryRun` is `--dry-run`. */
export function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-o, --output FILE`. */
export function optionTerm(name: string, { short, value }: OptionRow): string {
  const flags = short === undefined ? toFlag(name) : `-${short}, ${toFlag(name)}`;
  return value === undefined ? flags : `${flags} ${value}`;
}

/** `FILE`, or its only values. */
export function argumentTerm(name: string, { choices, isOptional }: ArgumentRow): string {
  const term = choices?.join('|') ?? name.toUpperCase();
  return isOptional ? `[${term}]` : term;
}

/** `image-bridge state backup FILE [--config FILE] [--set field=value]...` */
export function usageOf({ name, arguments: args, options }: Command): string {
  const terms = [
    ...Object.entries(args).map(([arg, row]) => argumentTerm(arg, row)),
    ...Object.entries(options).map(([option, row]) => optionUsage(option, row)),
  ];
  return ['image-bridge', name, ...terms].join(' ');
}

function optionUsage(name: string, row: OptionRow): string {
  const flag = row.short === undefined ? toFlag(name) : `-${row.short}`;
  if (row.value === undefined) return `[${flag}]`;
  const use = `${flag} ${row.choices?.join('|') ?? row.value}`;
  return `${row.isRequired ? use : `[${use}]`}${row.isRepeated ? '...' : ''}`;
}
