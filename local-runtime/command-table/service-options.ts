import type { OptionValues } from './command.ts';

/** The option of every command that talks to a running service. */
export const SERVICE_OPTION = {
  url: { value: 'URL', about: 'the service; IMAGE_BRIDGE_TOKEN holds its token' },
} as const;

export type ServiceOption = OptionValues<typeof SERVICE_OPTION>;
