/** A starting Alertmanager configuration: who gets what, and which alert silences which. */
import { type AlertPlan } from './alert-plan.ts';
import { yamlText } from './prometheus-rules.ts';

/** Receivers have no integration yet: where pages go is the owner's to fill in. */
export function alertmanagerConfig(plan: AlertPlan): string {
  const pages = ['severity="page"'];
  const config = {
    route: {
      receiver: 'tickets',
      group_by: ['slo', 'severity'],
      routes: [{ matchers: pages, receiver: 'pages', group_wait: '10s', repeat_interval: '4h' }],
    },
    receivers: [{ name: 'pages' }, { name: 'tickets' }],
    // One incident is one message: a page silences the tickets of its SLO, the fast page the slow.
    inhibit_rules: [
      { source_matchers: pages, target_matchers: ['severity="ticket"'], equal: ['slo'] },
      {
        source_matchers: ['burn="PageFast"'],
        target_matchers: ['burn="PageSlow"'],
        equal: ['slo'],
      },
    ],
  };
  return `# Owner of ${plan.name}: ${plan.people.owner}. Add an integration to each receiver.\n${yamlText(config)}`;
}
