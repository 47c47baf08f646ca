// The options that have other names now, and what they became. Only old_names.cpp reads this.
#pragma once

namespace arlab::bench {

/// The new name takes the same values.
struct Renamed {
  const char *old_name, *name;
};

inline constexpr Renamed kRenamed[] = {{"--plan", "--dry-run"},
                                       {"--place", "--buffers"},
                                       {"--samples", "--raw"},
                                       {"--share", "--jobs=share=on"},
                                       {"--bandwidth", "--network"},
                                       {"--critical-path", "--record=critical_path"},
                                       {"--rank-times", "--record=rank_times"},
                                       {"--no-symmetry", "--engine=all_ranks"},
                                       {"--events", "--engine=events"},
                                       {"--no-overlap", "--exchange=overlap=off"},
                                       {"--sync-bn", "--compute=sync_bn=on"},
                                       {"--augment", "--input=augment=on"},
                                       {"--save", "--checkpoint"},
                                       {"--best-only", "--checkpoint=best_only=on"},
                                       {"--weights-only", "--checkpoint=weights_only=on"},
                                       {"--no-verify", "--open-mpi=jobs=0"},
                                       {"--no-title", "--figure=title=off"},
                                       {"--share-y", "--figure=share_y=on"},
                                       {"--winners", "--only=winners"},
                                       {"--svg", "--output"},
                                       {"--parameters", "--list=parameters=on"}};

/// An option that became a setting of another. The first that the command has counts.
struct OldSetting {
  const char *old_name, *option, *setting;
};

inline constexpr OldSetting kOldSettings[] = {{"--groups", "--layout", "groups"},
                                              {"--dims", "--layout", "dims"},
                                              {"--trees", "--layout", "trees"},
                                              {"--max-messages", "--limit", "messages"},
                                              {"--max-seconds", "--limit", "seconds"},
                                              {"--links", "--record", "links"},
                                              {"--late", "--disturb", "late"},
                                              {"--jitter", "--disturb", "jitter"},
                                              {"--message-jitter", "--disturb", "jitter"},
                                              {"--noise", "--disturb", "noise"},
                                              {"--flap", "--disturb", "flap"},
                                              {"--noise-seed", "--disturb", "seed"},
                                              {"--noise-runs", "--disturb", "runs"},
                                              {"--groups", "--exchange", "groups"},
                                              {"--segments", "--exchange", "segments"},
                                              {"--aggregation", "--exchange", "aggregation"},
                                              {"--check-every", "--exchange", "check_every"},
                                              {"--slowdown", "--compute", "slowdown"},
                                              {"--jitter", "--compute", "jitter"},
                                              {"--speed", "--compute", "speed"},
                                              {"--codec-cost", "--compute", "codec"},
                                              {"--micro-batches", "--compute", "micro_batches"},
                                              {"--momentum", "--optimizer", "momentum"},
                                              {"--weight-decay", "--optimizer", "weight_decay"},
                                              {"--wd", "--optimizer", "weight_decay"},
                                              {"--lr-scaling", "--lr", "scaling"},
                                              {"--lr-decay", "--lr", "decay"},
                                              {"--lr-decay-epochs", "--lr", "decay_epochs"},
                                              {"--lr-milestones", "--lr", "decay_epochs"},
                                              {"--lr-decay-factor", "--lr", "decay_factor"},
                                              {"--lr-gamma", "--lr", "decay_factor"},
                                              {"--lr-warmup-epochs", "--lr", "warmup"},
                                              {"--warmup", "--lr", "warmup"},
                                              {"--warmup-steps", "--steps", "warmup"},
                                              {"--samples", "--data", "samples"},
                                              {"--threads", "--device", "threads"},
                                              {"--save-every", "--checkpoint", "every"},
                                              {"--keep", "--checkpoint", "keep"},
                                              {"--repeats", "--mode", "repeats"},
                                              {"--cache", "--mode", "cache"},
                                              {"--late", "--start", "late"},
                                              {"--precision", "--time", "precision"},
                                              {"--launcher", "--launches", "launcher"},
                                              {"--bind", "--backend", "bind"},
                                              {"--seed", "--compute", "seed"},
                                              {"--largest", "--time", "largest"},
                                              {"--tuner", "--nccl-log", "tuner"},
                                              {"--local-batch", "--batch", "per_worker"},
                                              {"--ranks", "--assume", "ranks"},
                                              {"--collective", "--assume", "collective"},
                                              {"--open-mpi-version", "--open-mpi", "version"},
                                              {"--verify-jobs", "--open-mpi", "jobs"},
                                              {"--launches", "--open-mpi", "jobs"},
                                              {"--mpich-base", "--mpich", "base"},
                                              {"--nccl-channels", "--nccl", "channels"},
                                              {"--nccl-protocol", "--nccl", "protocol"},
                                              {"--width", "--figure", "width"},
                                              {"--font", "--figure", "font"},
                                              {"--sharding", "--input", "sharding"},
                                              {"--shuffle", "--input", "shuffle"},
                                              {"--shuffle-seed", "--input", "shuffle_seed"},
                                              {"--drop-remainder", "--input", "drop_remainder"},
                                              {"--drop-last", "--input", "drop_remainder"},
                                              {"--prefetch", "--input", "prefetch"},
                                              {"--input-threads", "--input", "threads"},
                                              {"--misses", "--list", "misses"},
                                              {"--network", "--nccl-log", "network"}};

/// An option that became a parameter of what --strategy names.
struct Moved {
  const char *old_name, *strategy, *parameter;
};

inline constexpr Moved kMoved[] = {{"--servers", "parameter_server", "servers"},
                                   {"--bound", "stale_synchronous", "staleness"},
                                   {"--every", "local_sgd", "every"},
                                   {"--outer-rate", "diloco", "outer_rate"},
                                   {"--outer-momentum", "diloco", "outer_momentum"},
                                   {"--fragments", "diloco", "fragments"},
                                   {"--delay", "diloco", "delay"},
                                   {"--mix", "diloco", "mix"}};

}  // namespace arlab::bench
