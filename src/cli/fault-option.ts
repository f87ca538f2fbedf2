/** `--fault`: a named fault for a share of the answers, or a script of rules in a file. */
import type { Command } from 'commander';
import { type Problem, usageProblem } from '../base/index.ts';
import { type ConfigContext, parseFaultScript } from '../config/index.ts';
import {
  FAULT_NAMES,
  faultShare,
  type FaultScript,
  joinScripts,
  NO_FAULTS,
  restartsOverlap,
} from '../faults/index.ts';

export function addFaultOption(command: Command): Command {
  return command.option(
    '--fault <what>',
    'break a share of the answers, as reset:0.01, or follow a script, as faults.yaml; may be\n' +
      `repeated. Kinds: ${FAULT_NAMES.join(', ')}`,
    (text: string, before: readonly string[]) => [...before, text],
    [],
  );
}

/** All `--fault` options as one script, in the order given. What is wrong goes to `problems`. */
export function readFaultOption(
  texts: readonly string[],
  context: ConfigContext,
  problems: Problem[],
): FaultScript {
  let shares = 0;
  const scripts = texts.map((text): FaultScript => {
    if (/\.ya?ml$/i.test(text)) return scriptOf(text, context, problems);
    const [word, shareText = '', ...more] = text.split(':');
    const name = FAULT_NAMES.find((known) => known === word);
    const share = Number(shareText);
    if (name !== undefined && shareText !== '' && share >= 0 && share <= 1 && more.length === 0) {
      shares += share;
      return { ...NO_FAULTS, rules: [faultShare(name, share)] };
    }
    problems.push(
      usageProblem(
        'E_USAGE_VALUE',
        `--fault ${text} is not a known kind and a share from 0 to 1, as reset:0.01`,
        'a script of rules is a file that ends in .yaml',
      ),
    );
    return NO_FAULTS;
  });
  if (shares > 1) {
    problems.push(usageProblem('E_USAGE_VALUE', '--fault shares add up to more than 1'));
  }
  const script = joinScripts(scripts);
  if (restartsOverlap(script)) {
    problems.push(usageProblem('E_USAGE_CONFLICT', 'restarts of several --fault files overlap'));
  }
  return script;
}

function scriptOf(file: string, context: ConfigContext, problems: Problem[]): FaultScript {
  const parsed = parseFaultScript(context.readFile(file), { file, env: context.env });
  if ('script' in parsed) return parsed.script;
  problems.push(...parsed.problems);
  return NO_FAULTS;
}
