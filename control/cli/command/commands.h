/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that take several arguments. Each has its own file. */
#ifndef KU_CLI_COMMAND_COMMANDS_H
#define KU_CLI_COMMAND_COMMANDS_H

/* argv[0] is the name of the command. All return an exit status. */
int cmd_run(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_wait(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_stream(int argc, char **argv);
int cmd_receive(int argc, char **argv);
int cmd_session_command(int argc, char **argv);
int cmd_mask(int argc, char **argv);
int cmd_filter(int argc, char **argv);
int cmd_tracepoints(int argc, char **argv);
int cmd_tracepoint(int argc, char **argv);
int cmd_show(int argc, char **argv);

#endif
